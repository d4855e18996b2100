//! `warpbook tokenizer`: its files are read by the libraries that everybody uses, and give the same ids there.
mod common;

use std::fs;
use std::path::Path;

use base64::Engine;
use common::texts::{SCRIPTS, corpus, random_strings};
use common::warpbook;
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
        let (of_json, named) =
            hugging_face::read("json", &fs::read_to_string(&json).expect("json")).expect("our own tokenizer.json");
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
        common::warpbook_in(folder.path(), &[&of, more].concat())
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
