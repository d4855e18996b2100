//! `warpbook tokenizer`: its files are read by the libraries that everybody uses, and give the same ids there.
use std::fs;
use std::path::Path;

use crate::common::texts::{SCRIPTS, corpus, random_strings};
use crate::common::warpbook;
use base64::Engine;
use serde_json::{Value, json};
use tiktoken_rs::CoreBPE;
use warpbook::tokenizer::pattern::PATTERNS;
use warpbook::tokenizer::{Pattern, Vocabulary, encode, hugging_face, rank_file};

fn tiktoken_of(file: &Path, pattern: Pattern) -> CoreBPE {
    let text = fs::read_to_string(file).expect("the file of ranks");
    let ranks = text.lines().map(|line| {
        let (token, rank) = line.split_once(' ').expect("a token and its rank");
        let token = base64::engine::general_purpose::STANDARD.decode(token).expect("base64");
        (token, rank.parse().expect("a rank"))
    });
    CoreBPE::new(ranks.collect(), std::iter::empty().collect(), pattern.expression().unwrap_or(r"(?s:.+)"))
        .expect("tiktoken takes the ranks and the pattern")
}

#[test]
fn trained_files_give_the_same_ids_in_other_libraries() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("corpus.txt");
    fs::write(&text, corpus()).expect("the corpus");
    let strings = random_strings(10_000);
    for pattern in PATTERNS {
        let [ranks, json] =
            ["tiktoken", "json"].map(|ending| folder.path().join(format!("{}.{ending}", pattern.name())));
        for out in [&ranks, &json] {
            let [text, out] = [&text, out].map(|path| path.to_str().expect("a path in UTF-8"));
            let run = warpbook(&["tokenizer", "train", text, "--vocab", "600", "--pattern", pattern.name(), "-o", out]);
            assert_eq!(run.code, 0, "{pattern:?}: {}", run.err);
        }
        let own = rank_file::read("ranks", &fs::read_to_string(&ranks).expect("ranks")).expect("our own file of ranks");
        let read =
            hugging_face::read("json", &fs::read_to_string(&json).expect("json")).expect("our own tokenizer.json");
        assert_eq!(read.unlike, [""; 0]);
        let (of_json, named) = (read.vocabulary, read.pattern);
        assert_eq!((own.len(), of_json.len(), named), (600, 600, pattern));
        let hugging_face = tokenizers::Tokenizer::from_file(&json).expect("tokenizers reads the file");
        let tiktoken = tiktoken_of(&ranks, pattern);
        for string in SCRIPTS.iter().copied().chain(strings.iter().map(String::as_str)) {
            let ids = encode::encode(&own, pattern, string);
            assert_eq!(own.decode(&ids), Ok(string.as_bytes().to_vec()), "{pattern:?} {string:?}");
            assert_eq!(encode::encode(&of_json, pattern, string), ids, "tokenizer.json, {pattern:?} {string:?}");
            assert_eq!(tiktoken.encode_ordinary(string), ids, "tiktoken, {pattern:?} {string:?}");
            let theirs = hugging_face.encode(string, false).expect("tokenizers encodes");
            assert_eq!(theirs.get_ids(), ids, "tokenizers, {pattern:?} {string:?}");
        }
    }
}

#[test]
fn the_built_in_vocabularies_are_tiktoken_s() {
    let pairs = [
        ("cl100k_base", Pattern::Cl100k, tiktoken_rs::cl100k_base(), 100_256),
        ("o200k_base", Pattern::O200k, tiktoken_rs::o200k_base(), 199_998),
    ];
    for (name, pattern, theirs, size) in pairs {
        let own: &Vocabulary = rank_file::shared(name).expect("it is built in");
        assert_eq!(own.len(), size);
        assert_eq!(own.unreachable(), [0_u32; 0], "each token of {name} is made by a merge");
        let theirs = theirs.expect("tiktoken-rs has it");
        for string in SCRIPTS.iter().copied().chain(random_strings(10_000).iter().map(String::as_str)) {
            assert_eq!(encode::encode(own, pattern, string), theirs.encode_ordinary(string), "{name} {string:?}");
        }
        // Longer than what one core takes, so that the text is cut.
        let long = corpus().repeat(500);
        assert_eq!(encode::encode(own, pattern, &long), theirs.encode_ordinary(&long), "{name}");
    }
}

#[test]
fn a_text_goes_through_the_command_line_and_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "Hello, wörld! 中文 it's  fine\n";
    let run = warpbook(&["tokenizer", "encode", "--vocab", "cl100k_base", text]);
    assert_eq!(run.code, 0, "{}", run.err);
    let expected = tiktoken_rs::cl100k_base().expect("tiktoken-rs has it").encode_ordinary(text);
    let ids: Vec<u32> = run.out.split_whitespace().map(|id| id.parse().expect("an id")).collect();
    assert_eq!(ids, expected);
    let count = warpbook(&["tokenizer", "encode", "--vocab", "cl100k_base", "--count", text]);
    assert_eq!(count.out.trim(), expected.len().to_string());
    let file = folder.path().join("ids.npy");
    let file = file.to_str().expect("a path in UTF-8");
    assert_eq!(warpbook(&["tokenizer", "encode", "--vocab", "cl100k_base", text, "-o", file]).code, 0);
    let back = warpbook(&["tokenizer", "decode", "--vocab", "cl100k_base", file]);
    assert_eq!((back.code, back.out.as_str()), (0, text), "{}", back.err);
    // Nothing is lost on nothing.
    assert_eq!(warpbook(&["tokenizer", "encode", "--vocab", "o200k_base", ""]).out, "\n");
}

#[test]
fn a_file_is_encoded_and_a_text_that_names_one_is_not_taken_for_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "Hello, wörld! ".repeat(1000);
    fs::write(folder.path().join("a.txt"), &text).expect("a file");
    let encode = |more: &[&str]| {
        let of = ["tokenizer", "encode", "--vocab", "cl100k_base"];
        crate::common::warpbook_in(folder.path(), &[&of, more].concat())
    };
    let (file, plain) = (encode(&["--file", "a.txt"]), encode(&[&text]));
    assert_eq!((file.code, file.out, file.err), (0, plain.out, plain.err));
    let path = encode(&["a.txt"]);
    let expected = tiktoken_rs::cl100k_base().expect("tiktoken-rs has it").encode_ordinary("a.txt");
    assert_eq!((path.code, path.out.split_whitespace().count()), (0, expected.len()));
    assert!(
        path.err.contains("warning: `a.txt` is encoded as a text") && path.err.contains("--file a.txt"),
        "{}",
        path.err
    );
    for (wrong, said) in [
        (&["--file", "none.txt"][..], "cannot read none.txt"),
        (&["--file", "."], ". is a folder"),
        (&["--file", "a.txt", "text"], "cannot be used with"),
        (&[], "required arguments were not provided"),
    ] {
        let run = encode(wrong);
        assert!(run.code == 2 && run.out.is_empty() && run.err.contains(said), "{wrong:?}: {}", run.err);
    }
}

#[test]
fn wrong_input_is_refused_with_what_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("a path in UTF-8").to_owned();
    fs::write(at("latin1.txt"), b"caf\xe9 au lait").expect("a file");
    fs::write(at("good.txt"), "good text").expect("a file");
    fs::write(at("wordpiece.json"), r#"{"model": {"type": "WordPiece", "vocab": {}}}"#).expect("a file");
    fs::write(at("short.tiktoken"), "YQ== 0\nYg== 1\n").expect("a file");
    fs::write(at("twice.tiktoken"), "YQ== 0\nYQ== 1\n").expect("a file");
    fs::write(at("same_id.tiktoken"), "YQ== 7\nYg== 7\n").expect("a file");
    fs::write(at("no_base64.tiktoken"), "YQ== 0\n*** 1\n").expect("a file");
    let train =
        |file: &str, size: &str| warpbook(&["tokenizer", "train", &at(file), "--vocab", size, "-o", &at("out.json")]);
    let onto = |out: &str| warpbook(&["tokenizer", "train", &at("good.json"), "--vocab", "300", "-o", &at(out)]);
    let encode = |vocabulary: &str| warpbook(&["tokenizer", "encode", "--vocab", vocabulary, "text"]);
    fs::write(at("good.json"), "good text").expect("a file");
    fs::create_dir(at("folder.json")).expect("a folder");
    let cases = [
        (onto("good.json"), "is also a file to train on"),
        (onto("folder.json"), "it is a folder"),
        (onto("good.txt/out.json"), "is no folder"),
        (train("latin1.txt", "300"), "the byte 0xe9 at offset 3 begins no character"),
        (train("good.txt", "255"), "255 tokens are fewer than the 256 bytes"),
        (train("good.txt", "99999999999"), "are more than"),
        (train("missing.txt", "300"), "cannot read"),
        (encode("cl200k"), "no vocabulary that is known here"),
        (encode(&at("wordpiece.json")), "this tokenizer has a WordPiece model"),
        (encode(&at("short.tiktoken")), "the byte 0x00 has no token"),
        (encode(&at("twice.tiktoken")), "twice.tiktoken:2:1: error: this token is also in line 1"),
        (encode(&at("same_id.tiktoken")), "same_id.tiktoken:2:1: error: the id 7 has a token already"),
        (encode(&at("no_base64.tiktoken")), "no_base64.tiktoken:2:1: error: `***` is not base64"),
        (warpbook(&["tokenizer", "decode", "--vocab", "cl100k_base", &at("good.txt")]), "cannot read"),
    ];
    for (run, message) in cases {
        assert_eq!(run.code, 2, "{}", run.err);
        assert!(run.err.contains(message), "{message}: {}", run.err);
    }
    assert!(!Path::new(&at("out.json")).exists(), "nothing is written if the input is wrong");
    assert_eq!(fs::read_to_string(at("good.json")).expect("the text"), "good text");
}

#[test]
fn a_text_without_neighbours_stops_early_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let (text, out) = (folder.path().join("a.txt"), folder.path().join("out.tiktoken"));
    let [text_path, out_path] = [&text, &out].map(|path| path.to_str().expect("a path in UTF-8"));
    for (content, tokens) in [("", 256), ("a", 256), ("aaaaaaa", 260), ("\n\n\n", 258)] {
        fs::write(&text, content).expect("a file");
        let run = warpbook(&["tokenizer", "train", text_path, "--vocab", "1000", "-o", out_path]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.err.contains(&format!("{tokens} tokens: after")), "{content:?}: {}", run.err);
    }
}

#[test]
fn what_changes_the_ids_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path in UTF-8").to_owned();
    fs::write(path("empty.txt"), "").expect("a file");
    fs::write(path("a.txt"), "ab ab ab").expect("a file");
    for out in ["of.json", "of.tiktoken"] {
        let run =
            warpbook(&["tokenizer", "train", &path("a.txt"), &path("empty.txt"), "--vocab", "300", "-o", &path(out)]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.err.contains("empty.txt:1:1: warning: the file is empty"), "{}", run.err);
    }
    let said = |vocabulary: &str, pattern: &[&str]| {
        let command = [&["tokenizer", "encode", "--vocab", vocabulary, "ab"], pattern].concat();
        let run = warpbook(&command);
        assert_eq!(run.code, 0, "{}", run.err);
        run.err
    };
    assert!(said(&path("of.tiktoken"), &[]).contains("a file of ranks has no pattern"));
    assert_eq!(said(&path("of.tiktoken"), &["--pattern", "cl100k"]), "");
    assert_eq!(said(&path("of.json"), &["--pattern", "gpt2"]), "");
    assert!(said("cl100k_base", &["--pattern", "gpt2"]).contains("cuts words by cl100k, and --pattern asks for gpt2"));
}

/// A tokenizer.json of three merges, with one of its values set.
fn json_with(place: &str, value: Value) -> String {
    let merges = [(97, 98), (256, 99), (97, 99)];
    let text = hugging_face::write(&Vocabulary::from_merges(&merges), &merges, Pattern::Gpt2);
    let mut json: Value = serde_json::from_str(&text).expect("our own tokenizer.json");
    *json.pointer_mut(place).expect("the place is there") = value;
    json.to_string()
}

#[test]
fn fields_of_a_tokenizer_json_that_change_ids_are_refused_or_said() {
    let read = |place: &str, value: Value| hugging_face::read("json", &json_with(place, value));
    for (place, value, why) in [
        ("/model/end_of_word_suffix", json!("</w>"), "has a `end_of_word_suffix`"),
        ("/model/continuing_subword_prefix", json!("##"), "has a `continuing_subword_prefix`"),
        ("/model/merges", json!([["a", "b", "c"]]), "merge 0 is not two tokens"),
        ("/model/merges", json!(["a b c"]), "merge 0 is not two tokens"),
        ("/added_tokens", json!([{"id": -1, "content": "<x>", "special": true}]), "`<x>` has no usable id"),
    ] {
        let problem = read(place, value).expect_err("it is refused");
        assert!(problem.message.contains(why), "{problem}");
    }
    for (place, value, what) in [
        ("/truncation", json!({"max_length": 2}), "cuts long texts off"),
        ("/padding", json!({"strategy": {"Fixed": 9}}), "pads short texts"),
        ("/post_processor", json!({"type": "TemplateProcessing"}), "puts special tokens around a text"),
        (
            "/post_processor",
            json!({"type": "Sequence", "processors": [{"type": "ByteLevel"}, {"type": "TemplateProcessing"}]}),
            "puts special tokens around a text",
        ),
        (
            "/added_tokens",
            json!([{"id": 300, "content": "abc", "special": false}]),
            "takes 1 added tokens that are not special out of a text",
        ),
    ] {
        assert_eq!(read(place, value).expect("it is read").unlike, [what]);
    }
    assert_eq!(read("/post_processor", json!({"type": "ByteLevel"})).expect("it is read").unlike, [""; 0]);
    // Of a repeated merge the last rank counts: `bc` comes before `ab` here, as in the library.
    let repeated = json!([["a", "b"], ["a", "c"], ["a", "b"]]);
    let text = json_with("/model/merges", repeated);
    let theirs = tokenizers::Tokenizer::from_bytes(&text).expect("tokenizers reads it");
    let ours = hugging_face::read("json", &text).expect("it is read").vocabulary;
    let theirs = theirs.encode("cabac", false).expect("tokenizers encodes");
    assert_eq!(encode::encode(&ours, Pattern::Gpt2, "cabac"), theirs.get_ids());
}

#[test]
fn added_tokens_are_decoded_and_warned_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("added.json");
    let path = path.to_str().expect("a path in UTF-8");
    // Far beyond the other ids, which must not take memory.
    let added = json!([{"id": 2_000_000_000, "content": "<|end|>", "special": true}]);
    fs::write(path, json_with("/added_tokens", added)).expect("a file");
    let tokenizer = hugging_face::read("json", &fs::read_to_string(path).expect("json")).expect("it is read");
    assert_eq!(tokenizer.vocabulary.decode(&[256, 2_000_000_000]), Ok(b"ab<|end|>".to_vec()));
    assert_eq!(tokenizer.vocabulary.len(), 259);
    fs::write(path, json_with("/truncation", json!({"max_length": 2}))).expect("a file");
    let run = warpbook(&["tokenizer", "encode", "--vocab", path, "abc"]);
    assert_eq!((run.code, run.out.trim()), (0, "257"));
    assert!(run.err.contains("warning: this tokenizer cuts long texts off, which Warpbook does not do"), "{}", run.err);
}

#[test]
fn large_vocabularies_are_read_and_wrong_ids_take_no_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path in UTF-8").to_owned();
    // As much as 130,000 tokens take.
    fs::write(path("large.json"), json_with("/version", json!("1.0")) + &" ".repeat(9 << 20)).expect("a file");
    let run = warpbook(&["tokenizer", "encode", "--vocab", &path("large.json"), "abc"]);
    assert_eq!((run.code, run.out.trim()), (0, "257"), "{}", run.err);
    let ranks = rank_file::write(&Vocabulary::from_merges(&[]));
    let far = format!("{ranks}eno= 127000000\n{}", "\n".repeat(8_000_000));
    let problem = rank_file::read("gap", &far).expect_err("a wrong id");
    assert!(problem.message.contains("the id 127000000 is too large for this file"), "{problem}");
    let text = json_with("/model/vocab/abc", json!(127_000_000)) + &" ".repeat(8_000_000);
    let problem = hugging_face::read("json", &text).expect_err("a wrong id");
    assert!(problem.message.contains("the token `abc` has no usable id"), "{problem}");
}
