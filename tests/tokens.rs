//! Tokenization at awkward sizes: the merges are the reference's by every rule for ties, on every backend, and nothing
//! is lost.
use crate::common::warpbook;

#[test]
fn merges_are_right_at_awkward_sizes() {
    let sizes = [
        "bytes=1 learn=1 letters=1",
        "bytes=257 learn=40 rule=1 letters=33 kinds=2",
        "bytes=1000 learn=16 rule=2 walls=0 letters=300 kinds=3",
        "bytes=300 learn=512 letters=4 kinds=26",
    ];
    // A software driver takes its time: two of them are enough there.
    for (backend, sizes) in [("simt", &sizes[..]), ("auto", &sizes[..2])] {
        for size in sizes {
            let mut args = vec!["run", "tokenization", "--json", "--backend", backend];
            args.extend(size.split(' ').flat_map(|set| ["--set", set]));
            let run = warpbook(&args);
            assert_eq!(run.code, 0, "{backend}, {size}: {}", run.err);
            let values = &run.json()["values"];
            for id in ["tokens", "bytes_per_token", "merges", "unknown_rate"] {
                assert!(values[id].is_number(), "{backend}, {size}: {id} in {values}");
            }
            assert_eq!(values["unknown_rate"], 0.0, "{backend}, {size}");
        }
    }
}

#[test]
fn the_four_words_merge_as_each_rule_says() {
    // Published by hand for low x 5, lower x 2, widest x 3, newest x 6: the first six merges.
    let rules = [
        ["es", "est", "lo", "low", "ew", "new"],
        ["es", "est", "lo", "low", "ne", "new"],
        ["st", "est", "ow", "low", "west", "ne"],
    ];
    for (rule, expected) in rules.iter().enumerate() {
        let rule = format!("rule={rule}");
        let args = [
            "run",
            "tokenization",
            "--program",
            "words",
            "--json",
            "--backend",
            "simt",
            "--set",
            &rule,
            "--print",
            "merges",
        ];
        let run = warpbook(&args);
        assert_eq!(run.code, 0, "{}", run.err);
        let json = run.json();
        let programs = json["programs"].as_array().expect("programs");
        let words = programs.iter().find(|program| program["id"] == "words").expect("the four words");
        let pairs: Vec<usize> = words["printed"][0]["values"]
            .as_array()
            .expect("merges")
            .iter()
            .map(|id| id.as_f64().expect("an id") as usize)
            .collect();
        let mut tokens: Vec<String> = (0..=255_u8).map(|byte| char::from(byte).to_string()).collect();
        for pair in pairs.chunks(2) {
            tokens.push(format!("{}{}", tokens[pair[0]], tokens[pair[1]]));
        }
        assert_eq!(tokens[256..262], *expected, "{rule}");
    }
}
