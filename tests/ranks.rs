//! ZeRO at awkward numbers of ranks: the stages agree to the last bit, and what is counted is what the formulas say.
use crate::common::warpbook;

/// The lesson's values at these settings.
fn values(backend: &str, sets: &str) -> serde_json::Value {
    let mut args = vec!["run", "zero", "--program", "train", "--json", "--backend", backend];
    args.extend(sets.split(' ').flat_map(|set| ["--set", set]));
    let run = warpbook(&args);
    assert_eq!(run.code, 0, "{backend}, {sets}: {}", run.err);
    run.json()["values"].clone()
}

/// Checks that what was counted of a rank's bytes is what the formulas say.
fn assert_bytes(values: &serde_json::Value, sets: &str) {
    for id in ["model_state_bytes_per_rank", "comm_bytes_per_rank", "peak_bytes_per_rank"] {
        assert!(values[id].is_number(), "{sets}: {id} in {values}");
        assert_eq!(values[id], values[format!("{id}_formula")], "{sets}: {id}");
    }
}

#[test]
fn the_stages_agree_to_the_last_bit() {
    let mut losses = Vec::new();
    for ranks in [1, 2, 3, 4, 7, 8] {
        let mut of_stages = Vec::new();
        for stage in 0..4 {
            let sets = format!("ranks={ranks} stage={stage}");
            let values = values("simt", &sets);
            assert_bytes(&values, &sets);
            of_stages.push(values["loss"].as_f64().expect("a loss"));
        }
        assert!(of_stages.iter().all(|loss| loss.to_bits() == of_stages[0].to_bits()), "{ranks} ranks: {of_stages:?}");
        losses.push(of_stages[0]);
    }
    // Another number of ranks adds in another order.
    let [least, most] = [losses.iter().copied().fold(f64::MAX, f64::min), losses.iter().copied().fold(0.0, f64::max)];
    assert!(least < most && most < least * 1.001, "{losses:?}");
}

/// 1,056 parameters: a rank has two of them, or one and padding, or padding only.
#[test]
fn a_thousand_ranks_have_the_bytes_of_the_formulas() {
    let sets = "ranks=1024 stage=3 layers=1 width=32 batch=1024 steps=1";
    assert_bytes(&values("simt", sets), sets);
}

#[test]
fn a_stage_that_fits_is_named_where_another_does_not() {
    let sets = ["ranks=64", "width=512", "layers=16", "batch=64", "steps=1", "stage=0"];
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", *set]).collect();
    let run = warpbook(&[&["run", "zero", "--program", "train", "--backend", "simt"][..], &sets].concat());
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.err.contains("set stage=3: then all buffers take"), "{}", run.err);
    assert!(run.err.contains("instead of 4.3"), "{}", run.err);
}

#[test]
fn a_rank_can_have_no_parameter_and_no_row() {
    for stage in 0..4 {
        let sets = format!("ranks=9 width=2 layers=1 batch=5 steps=2 stage={stage}");
        assert!(values("simt", &sets)["loss"].is_number(), "{sets}");
    }
}

#[test]
fn a_driver_agrees_where_it_has_16_bit_floats() {
    for stage in [0, 3] {
        let sets = format!("ranks=3 stage={stage} layers=2 steps=2");
        let (traced, driven) = (values("simt", &sets), values("auto", &sets));
        if let Some(loss) = driven["loss"].as_f64() {
            let expected = traced["loss"].as_f64().expect("a loss");
            assert!((loss - expected).abs() < 0.001 * expected, "{sets}: {loss}, traced {expected}");
            assert_eq!(driven["comm_bytes_per_rank"], traced["comm_bytes_per_rank"], "{sets}");
        }
    }
}
