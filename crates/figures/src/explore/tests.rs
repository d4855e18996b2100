//! Rules for every explorer's picture, and the facts that it must show.

use super::super::fixtures::assert_tidy;
use super::super::palette::{Ink, Theme};
use super::super::{svg, text};
use super::*;
use crate::reference::einsum::EINSUMS;
use crate::reference::views::Op;

fn view<'a>(explorer: &'static Explorer, at: &'a Explored, width: f32) -> ExploreView<'a> {
    ExploreView { explorer, at, spelled: (2, 0), width }
}

fn points() -> Vec<Explored> {
    let of = |logits: Vec<f64>, temperature, weight| Explored {
        direction: logits.iter().map(|a| a / 3.0).collect(),
        logits,
        temperature,
        shift: 100.0 * weight,
        target: 1,
        ops: vec![Op::Transpose, Op::Contiguous, Op::Expand],
        weight,
        ..Explored::default()
    };
    let turned = |block, number, group, wave| Explored { block, number, group, wave, ..Explored::default() };
    vec![
        turned([16, 16], -1.234_567_891e-7, 1, 15),
        turned([1, 16], f64::INFINITY, 64, 7),
        turned([2, 2], f64::NAN, 5, 3),
        Explored::default(),
        of(vec![-6.0, 6.0], 0.1, 0.5),
        of(vec![6.0, 5.9, 6.0, -6.0, 0.0, 1.0, -1.0, 2.0], 0.1, 0.33),
        of(vec![0.0; 8], 10.0, 0.0),
        of(vec![0.1, -0.2, 0.3, 5.0, 2.2, 1.9, -4.0], 0.55, 0.01),
        of(vec![1.0, 1.0, 1.0], 1.0, 0.1),
    ]
}

#[test]
fn every_picture_fits_every_width() {
    for &explorer in EXPLORERS {
        let name = explorer.name;
        assert!(find(name).is_some_and(|found| std::ptr::eq(found, explorer)), "{name}");
        for at in points() {
            for width in [368.0, 400.0, 528.0, 560.0] {
                let shown = picture(&view(explorer, &at, width));
                assert_tidy(&shown.frame, &format!("{name} at {at:?}, {width} wide"));
                let (said, bars) = match name {
                    "views" => ("stride (", 0),
                    "einsum" => ("No einsum: `U`", 0),
                    "registers" => ("reads per product", 0),
                    "fragments" => ("holds of C", 0),
                    "formats" => ("bf16: ", 0),
                    "tile_order" => ("wave ", 0),
                    "tokens" => ("cl100k_base: ", 0),
                    "bytes" => ("code points in ", 0),
                    "by_rank" => ("tokens: ", 0),
                    "jacobian_product" => ("temperature", 2),
                    "mean" => ("The query's output", 2),
                    "rescale" => ("One sweep gives", 1),
                    "recall" => ("kept from the forward pass", 1),
                    "delta" => ("the sum over", 1),
                    "join" => ("Output: o / d", 2),
                    _ => ("temperature", 1),
                };
                assert!(shown.frame.alt.contains(said), "{}", shown.frame.alt);
                let wanted = bars * at.logits.len();
                assert_eq!(shown.handles.len(), wanted);
                let cells = if name == "jacobian" { at.logits.len().pow(2) } else { 0 };
                assert_eq!((shown.cells.len(), shown.words.is_empty()), (cells, cells == 0));
            }
        }
    }
}

#[test]
fn an_einsum_has_its_loops_its_sectors_and_its_gradients() {
    let of = |letters: &str, width| {
        let at = Explored { text: letters.to_owned(), ..Explored::default() };
        let shown = picture(&view(&einsum::EXPLORER, &at, width));
        assert_tidy(&shown.frame, &format!("{letters}, {width} wide"));
        shown.frame.alt
    };
    for (_, letters) in EINSUMS.into_iter().chain([
        ("", "ijkl,jklm,m->i"),
        ("", "ij->"),
        ("", "abcd->dcba"),
        ("", "ijkl,mnop->"),
        ("", ",i->i"),
        ("", "ii,jj->"),
    ]) {
        for width in [368.0, 560.0, 760.0] {
            assert!(of(letters, width).contains(letters));
        }
    }
    let product = of("ij,jk->ik", 560.0);
    assert!(product.contains("64 results, each a sum of 8 products: 1,024 FLOP."), "{product}");
    assert!(
        product.contains("a[i, j]: stride 0 along k, 4 sectors. b[j, k]: stride 1 along k, 1 sector."),
        "{product}"
    );
    assert!(product.contains("da = einsum(\"ik,jk->ij\", dc, b). db = einsum(\"ik,ij->jk\", dc, a)."), "{product}");
    assert!(of("ij,j->ij", 560.0).contains("db = einsum(\"ij,ij->j\", dc, a)."));
    assert!(of("ij->i", 560.0).contains("# the same along j"));
}

#[test]
fn an_entry_is_spelled_with_its_numbers() {
    let at = Explored { logits: vec![1.0, -0.5, 2.0], direction: vec![0.0; 3], ..Explored::default() };
    let shown = picture(&view(&jacobian::EXPLORER, &at, 560.0));
    assert_eq!(shown.words, "J[2,0] = y₂(δ₂₀ − y₀) = 0.690 × (0 − 0.254) = −0.175");
    let cold = Explored { temperature: 0.5, ..at };
    let shown = picture(&ExploreView { spelled: (1, 1), ..view(&jacobian::EXPLORER, &cold, 560.0) });
    assert_eq!(shown.words, "J[1,1] = y₁(δ₁₁ − y₁) / T = 0.006 × (1 − 0.006) / 0.5 = 0.012");
    // One beyond the end is the last: an entry may just have been taken away.
    let far = picture(&ExploreView { spelled: (7, 7), ..view(&jacobian::EXPLORER, &cold, 560.0) });
    assert!(far.words.starts_with("J[2,2]"), "{}", far.words);
}

#[test]
fn every_check_holds_and_is_said() {
    for at in points() {
        let alt = picture(&view(&jacobian::EXPLORER, &at, 560.0)).frame.alt;
        assert_eq!(alt.matches("Holds: ").count(), 5, "{alt}");
        assert!(!alt.contains("Does not hold"), "{alt}");
        let alt = picture(&view(&jacobian_product::EXPLORER, &at, 560.0)).frame.alt;
        let n = at.logits.len();
        assert!(alt.contains(&format!("{} entries, 2n² − n = {} FLOP", n * n, 2 * n * n - n)), "{alt}");
    }
}

#[test]
fn a_gradient_names_its_parts() {
    let at = Explored { logits: vec![0.0, 0.0], direction: vec![0.0; 2], weight: 0.5, ..Explored::default() };
    let alt = picture(&view(&cross_entropy::EXPLORER, &at, 560.0)).frame.alt;
    // lse = log 2: (1 + 2 · 0.5 · 0.693) · 0.5 − 1 and (1 + 0.693) · 0.5.
    assert!(alt.contains("Gradient: −0.153, 0.847."), "{alt}");
    assert!(alt.contains("L = −log y₀ = 0.693") && alt.contains("= 0.240"), "{alt}");
    let plain = Explored { weight: 0.0, ..at };
    let alt = picture(&view(&cross_entropy::EXPLORER, &plain, 560.0)).frame.alt;
    assert!(alt.contains("Gradient: −0.500, 0.500.") && !alt.contains("z-loss"), "{alt}");
}

#[test]
fn a_handle_spans_its_values() {
    let at = Explored::default();
    let shown = picture(&view(&jacobian_product::EXPLORER, &at, 400.0));
    for handle in &shown.handles {
        let [x, _, w, _] = handle.rect;
        assert_eq!(
            [x - 9.0, x, x + w / 2.0, x + w].map(|x| handle.value_at(x)),
            [-1.0, -1.0, 0.0, 1.0].map(|v| v * handle.most)
        );
    }
    let mut at = at;
    shown.handles[1].entry.set(&mut at, 1.26);
    assert_eq!((at.logits[1], Entry::Logit(1).of(&at)), (1.3, 1.3));
    Entry::Direction(99).set(&mut at, 1.0);
    assert_eq!(Entry::Direction(99).of(&at), 0.0);
}

#[test]
fn numbers_are_written_as_people_write_them() {
    assert_eq!([sheet::fixed(-0.001, 2), sheet::fixed(-0.156, 2), sheet::short(0.25)], ["0.00", "−0.16", "0.25"]);
    assert_eq!([sheet::tiny(0.0), sheet::tiny(2.84e-17), sheet::sub(20)], ["0", "2.8e−17", "₂₀"]);
    assert!(text::width("₂", 14.0, false) > 0.0);
}

#[test]
fn text_on_every_tint_can_be_read() {
    let luminance = |rgb: [u8; 3]| {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2])
    };
    for theme in [Theme::Dark, Theme::Light] {
        for step in -20..=20 {
            let (a, b) =
                (luminance(theme.rgb(sheet::diverging(f64::from(step) / 20.0))), luminance(theme.rgb(Ink::Text)));
            let ratio = (a.max(b) + 0.05) / (a.min(b) + 0.05);
            assert!(ratio >= 4.5, "{theme:?} at {step}: {ratio:.2}");
        }
    }
}

#[test]
fn a_picture_is_well_formed_svg() -> Result<(), roxmltree::Error> {
    for explorer in [find("jacobian"), find("jacobian_product")].into_iter().flatten() {
        let shown = picture(&view(explorer, &Explored::default(), 560.0));
        roxmltree::Document::parse(&svg::adaptive(&shown.frame))?;
    }
    Ok(())
}

#[test]
fn pictures_say_what_they_count() {
    let at = Explored { block: [2, 2], lane: 5, number: 70000.0, group: 16, wave: 0, ..Explored::default() };
    let alt = |explorer: &'static Explorer| picture(&view(explorer, &at, 560.0)).frame.alt;
    assert!(alt(&registers::EXPLORER).contains("4 reads of shared memory and 4 products: 1 reads per product"));
    assert!(
        alt(&fragments::EXPLORER).contains("holds of C: (1, 2), (1, 3), (9, 2), (9, 3)."),
        "{}",
        alt(&fragments::EXPLORER)
    );
    let formats = alt(&formats::EXPLORER);
    assert!(formats.contains("f16: inf, off by infinity. bf16: 70144, off by 1 in 486."), "{formats}");
    // The lesson's table has the same numbers.
    let order = alt(&tile_order::EXPLORER);
    assert!(order.contains("row by row, wave 1: 5 of A, 32 of B: 1.13 MB per step."), "{order}");
    assert!(order.contains("groups of 16 rows, wave 1: 16 of A, 9 of B: 557 kB per step."), "{order}");
}
