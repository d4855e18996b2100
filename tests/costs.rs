//! Times and costs before anything runs: of programs pass by pass, and of a step of a model.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::common::warpbook;

#[test]
fn a_program_is_predicted_pass_by_pass() {
    let of = |rest: &[&str]| {
        warpbook(&[&["trace", "zero/train", "--set", "steps=1", "--device", "h200-sxm"], rest].concat())
    };
    let json = of(&["--json"]).json();
    let program = &json["predicted_program"];
    let passes = program["passes"].as_array().unwrap();
    let sum: f64 = passes.iter().filter_map(|pass| pass["point_s"].as_f64()).sum();
    let whole = program["point_s"].as_f64().unwrap();
    assert!((sum - whole).abs() < 1e-9 * whole && passes.len() > 5, "{program}");
    // Copies and fills are passes, too; what was not launched is none.
    let has = |id: &str| passes.iter().any(|pass| pass["id"] == id);
    assert!(has("nothing_sent") && has("adamw") && !has("gather"), "{program}");
    let out = of(&[]).out;
    assert!(out.contains("launches one after another") && out.contains("bound by"), "{out}");
}

#[test]
fn cost_says_what_a_step_takes_before_it_runs() {
    let of = |words: &str| warpbook(&[&["cost"], words.split(' ').collect::<Vec<_>>().as_slice()].concat());
    let large =
        of("--layers 12 --width 768 --heads 12 --tokens 1024 --batch 32 --vocab 50257 --device rtx-4090 --json").json();
    // 12 L d² + V d.
    assert_eq!(large["parameters"], 12.0 * 12.0 * 768.0 * 768.0 + 50257.0 * 768.0);
    // 6 N + 12 L d T for each token.
    let token = 6.0 * large["parameters"].as_f64().unwrap() + 12.0 * 12.0 * 768.0 * 1024.0;
    assert_eq!(large["flops"], token * 32.0 * 1024.0);
    let tensors = large["tensors"].as_array().unwrap();
    let bytes: u64 = tensors.iter().filter_map(|tensor| tensor["bytes"].as_u64()).sum();
    assert_eq!(large["peak_bytes"], bytes);
    let logits = tensors.iter().find(|tensor| tensor["name"] == "logits").unwrap();
    assert_eq!((&logits["from"], &logits["to"]), (&"head".into(), &"head_input_gradient".into()));
    assert!(large["memory_bytes"].as_u64() < large["peak_bytes"].as_u64() && large["traced"] == false);
    assert!(large["switches"][0]["peak_bytes"].as_u64() < large["memory_bytes"].as_u64(), "{large}");
    let small = of("--layers 1 --width 16 --json").json();
    assert!(small["traced"] == true && small["seconds"].as_f64().unwrap() > 1e-5, "{small}");
    for (wrong, says) in [
        ("--width 10 --heads 3", "width / heads"),
        ("--colour 3", "no parameter `colour`"),
        ("--layers many", "`many` is no number"),
        ("12", "is no option"),
    ] {
        let run = of(wrong);
        assert!(run.code != 0 && run.err.contains(says), "{wrong}: {}", run.err);
    }
}

#[test]
fn the_formulas_of_a_step_hold_for_forty_random_shapes() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut among = |from: u64, to: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        from + (state >> 33) % (to - from + 1)
    };
    for number in 0..40 {
        let heads = among(1, 4);
        let shape = [
            ("layers", among(1, 3)),
            ("heads", heads),
            ("width", heads * 2 * among(1, 6)),
            ("tokens", among(1, 20)),
            ("batch", among(1, 3)),
            ("vocab", among(123, 300)),
            ("recompute", among(0, 1)),
        ];
        let words = |option: &dyn Fn(&str, u64) -> Vec<String>| {
            shape.iter().flat_map(|(name, value)| option(name, *value)).collect::<Vec<String>>()
        };
        let json = |command: &[&str], options: &[String]| {
            let options = options.iter().map(String::as_str);
            warpbook(&command.iter().copied().chain(options).chain(["--json"]).collect::<Vec<&str>>()).json()
        };
        let sets = words(&|name, value| vec!["--set".to_owned(), format!("{name}={value}")]);
        let run = json(&["run", "one_step", "--program", "train", "--backend", "simt", "--set", "steps=1"], &sets);
        let of = |id: &str| run["values"][id].as_f64().unwrap_or_else(|| panic!("{shape:?}: {id}"));
        for id in ["parameters", "flops_per_token", "flops_again_per_token", "activation_bytes", "peak_bytes"] {
            assert_eq!(of(id), of(&format!("{id}_formula")), "{shape:?}: {id}");
        }
        // `cost` says the same before it runs; it has the buffers that note lengths, too.
        if number % 8 == 0 {
            let cost = json(&["cost"], &words(&|name, value| vec![format!("--{name}"), value.to_string()]));
            let done = of("flops_done_per_token") * of("rows");
            let [parameters, flops, peak] = ["parameters", "flops", "peak_bytes"].map(|id| cost[id].as_f64().unwrap());
            assert_eq!([parameters, flops], [of("parameters"), done], "{shape:?}");
            assert!((0.0..256.0).contains(&(peak - of("peak_bytes"))), "{shape:?}: {peak}");
        }
    }
}
