//! Hugging Face's `tokenizer.json`: a byte-level BPE with its merges and its pattern.

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::Pattern;
use super::pattern::PATTERNS;
use super::vocabulary::{MOST, Merge, Vocabulary, ids_of, pair};
use warpbook_base::diag::Diagnostic;

/// The character that represents each byte in such a file: printable Latin-1 itself, the other bytes the characters
/// from U+0100 on. GPT-2 began this.
fn alphabet() -> [char; 256] {
    let mut others = 0x100..;
    std::array::from_fn(|byte| {
        let itself = matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
        let code = if itself { byte as u32 } else { others.next().unwrap_or_default() };
        char::from_u32(code).unwrap_or_default()
    })
}

/// The file of a vocabulary that has the 256 bytes and these merges.
#[must_use]
pub fn write(vocabulary: &Vocabulary, merges: &[(u32, u32)], pattern: Pattern) -> String {
    let alphabet = alphabet();
    let name = |id: u32| -> String {
        vocabulary.token(id).unwrap_or_default().iter().map(|&byte| alphabet[usize::from(byte)]).collect()
    };
    let byte_level = |prefix: bool| json!({"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": true, "use_regex": false});
    let pre_tokenizer = match pattern.expression() {
        None => byte_level(false),
        Some(regex) => json!({"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": false},
            byte_level(false),
        ]}),
    };
    let ids: serde_json::Map<String, Value> =
        (0..vocabulary.len() as u32).map(|id| (name(id), Value::from(id))).collect();
    let merges: Vec<[String; 2]> = merges.iter().map(|&(left, right)| [name(left), name(right)]).collect();
    let file = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": null,
        "decoder": byte_level(true),
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null, "end_of_word_suffix": null,
            "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
            "vocab": ids,
            "merges": merges,
        },
    });
    format!("{file:#}\n")
}

/// A file's tokenizer.
#[derive(Clone, Debug)]
pub struct Tokenizer {
    /// Its tokens.
    pub vocabulary: Vocabulary,
    /// How it cuts a text.
    pub pattern: Pattern,
    /// Things that it does to ids beside that, which are not done here: `pads short texts`.
    pub unlike: Vec<String>,
    /// The merges that the file lists more than once, in words: `lists a merge twice: …`.
    pub repeats: Option<String>,
}

/// Reads a file with a byte-level BPE.
///
/// # Errors
/// If it is another model, has a step that is not known here, or does not fit together.
pub fn read(file: &str, text: &str) -> Result<Tokenizer, Diagnostic> {
    let wrong = |message: String| Diagnostic::error(message).in_file(file);
    let json: Value = serde_json::from_str(text).map_err(|error| {
        let mut problem = wrong(format!("this is no JSON: {error}"));
        if let Some(place) = &mut problem.place {
            (place.line, place.column) = (error.line() as u32, error.column().max(1) as u32);
        }
        problem
    })?;
    let model = &json["model"];
    // Files of old versions do not name the type; only a BPE has merges.
    let is_bpe = model["type"].as_str().map_or(model["merges"].is_array(), |kind| kind == "BPE");
    if !is_bpe {
        let kind = model["type"]
            .as_str()
            .map_or_else(|| "no model that is known here".to_owned(), |kind| format!("a {kind} model"));
        return Err(wrong(format!("this tokenizer has {kind}"))
            .hint("a byte-level BPE is needed, such as GPT-2's or Llama 3's"));
    }
    let pattern = pattern_of(&json).map_err(wrong)?;
    for (step, name) in [("normalizer", "normalizes the text"), ("dropout", "drops merges at random")] {
        if !json[step].is_null() || !model[step].is_null() {
            return Err(wrong(format!("this tokenizer {name}, which is not done here")));
        }
    }
    for affix in ["continuing_subword_prefix", "end_of_word_suffix"] {
        if model[affix].as_str().is_some_and(|affix| !affix.is_empty()) {
            return Err(wrong(format!("this tokenizer has a `{affix}`, which is not done here")));
        }
    }
    let bytes: FxHashMap<char, u8> = (0..=255).zip(alphabet()).map(|(byte, c)| (c, byte)).collect();
    let ids = model["vocab"].as_object().ok_or_else(|| wrong("its model has no `vocab`".to_owned()))?;
    let mut tokens: Vec<Box<[u8]>> = Vec::new();
    let mut added = added_tokens(&json).map_err(wrong)?;
    for (name, id) in ids {
        let id = id.as_u64().map(|id| id as usize).filter(|&id| id < ids_of(ids.len()));
        let id = id.ok_or_else(|| wrong(format!("the token `{name}` has no usable id")))?;
        // A special token is written as it is, and no text is encoded as one here.
        let Some(token) = name.chars().map(|c| bytes.get(&c).copied()).collect::<Option<Box<[u8]>>>() else {
            added.insert(id as u32, name.as_bytes().into());
            continue;
        };
        if id >= tokens.len() {
            tokens.resize(id + 1, Box::default());
        }
        if !tokens[id].is_empty() {
            return Err(wrong(format!("the id {id} has two tokens")));
        }
        tokens[id] = token;
    }
    let id_of = |name: &str| ids.get(name).and_then(Value::as_u64).map(|id| id as u32);
    let listed = model["merges"].as_array().ok_or_else(|| wrong("its model has no `merges`".to_owned()))?;
    let mut merges: FxHashMap<u64, Merge> = FxHashMap::default();
    let mut repeated = Repeated::default();
    for (rank, merge) in (0_u32..).zip(listed) {
        // Two names, or one text with a space between them, as older files have it.
        let names = match merge {
            Value::Array(names) => match &names[..] {
                [left, right] => left.as_str().zip(right.as_str()),
                _ => None,
            },
            _ => merge.as_str().and_then(|names| names.split_once(' ')).filter(|(_, right)| !right.contains(' ')),
        };
        let (left, right) = names.ok_or_else(|| wrong(format!("merge {rank} is not two tokens")))?;
        let made = id_of(left).zip(id_of(right)).zip(id_of(&format!("{left}{right}")));
        let (ids, id) = made.ok_or_else(|| {
            wrong(format!("merge {rank}, `{left}` and `{right}`, has a token that is not in `vocab`"))
        })?;
        // Of a merge that is repeated the last rank counts, as in the library.
        if let Some(earlier) = merges.insert(pair(ids.0, ids.1), Merge { rank, id }) {
            repeated.add([left, right], [earlier.rank, rank]);
        }
    }
    let whole = model["ignore_merges"].as_bool().unwrap_or(false);
    let vocabulary = Vocabulary::from_listed(tokens, merges, whole).map_err(|byte| {
        wrong(format!("the byte {byte:#04x} has no token"))
            .hint("a byte-level BPE is needed, such as GPT-2's or Llama 3's")
    })?;
    let (vocabulary, unlike, repeats) = (vocabulary.with_added(added), unlike(&json), repeated.in_words());
    Ok(Tokenizer { vocabulary, pattern, unlike, repeats })
}

/// Merges that a file lists again.
#[derive(Default)]
struct Repeated {
    /// How often one is listed again.
    times: usize,
    /// The first, with its places.
    first: Option<String>,
}

impl Repeated {
    fn add(&mut self, [left, right]: [&str; 2], [before, again]: [u32; 2]) {
        self.times += 1;
        self.first.get_or_insert_with(|| format!("`{left}` and `{right}` as {before} and as {again}"));
    }

    fn in_words(self) -> Option<String> {
        let first = self.first?;
        let what = if self.times == 1 {
            format!("lists a merge twice: {first}")
        } else {
            format!("lists merges again, {} times in all: {first} are the first", self.times)
        };
        Some(format!("{what}; the last place counts, as in Hugging Face's library"))
    }
}

/// The tokens that a file adds beside its merges, by their ids.
fn added_tokens(json: &Value) -> Result<FxHashMap<u32, Box<[u8]>>, String> {
    let listed = json["added_tokens"].as_array().map_or(&[][..], Vec::as_slice);
    let mut added: FxHashMap<u32, Box<[u8]>> = FxHashMap::default();
    for token in listed {
        let id = token["id"].as_u64().filter(|&id| id < MOST as u64);
        let id = id.and_then(|id| u32::try_from(id).ok());
        let content = token["content"].as_str().unwrap_or_default();
        let id = id.ok_or_else(|| format!("the added token `{content}` has no usable id"))?;
        if added.insert(id, content.as_bytes().into()).is_some_and(|other| *other != *content.as_bytes()) {
            return Err(format!("the id {id} has two added tokens, the last is `{content}`"));
        }
    }
    Ok(added)
}

/// Things that a tokenizer does to ids, which are not done here.
fn unlike(json: &Value) -> Vec<String> {
    let mut found = Vec::new();
    if !json["truncation"].is_null() {
        found.push("cuts long texts off".to_owned());
    }
    if !json["padding"].is_null() {
        found.push("pads short texts".to_owned());
    }
    let step = &json["post_processor"];
    let steps = step["processors"].as_array().map_or(std::slice::from_ref(step), Vec::as_slice);
    if steps.iter().any(|step| !step.is_null() && step["type"] != "ByteLevel") {
        found.push("puts special tokens around a text".to_owned());
    }
    let listed = json["added_tokens"].as_array().map_or(&[][..], Vec::as_slice);
    let plain = listed.iter().filter(|token| token["special"] != true).count();
    if plain > 0 {
        found.push(format!("takes {plain} added tokens that are not special out of a text"));
    }
    found
}

/// The pattern that a file's `pre_tokenizer` describes.
fn pattern_of(json: &Value) -> Result<Pattern, String> {
    let step = &json["pre_tokenizer"];
    let steps: Vec<&Value> = match step["pretokenizers"].as_array() {
        Some(steps) => steps.iter().collect(),
        None => vec![step],
    };
    let [splits @ .., last] = &steps[..] else { return Err("this tokenizer has no `pre_tokenizer`".to_owned()) };
    if last["type"] != "ByteLevel" {
        return Err("this tokenizer's last step before the model is not ByteLevel".to_owned());
    }
    if steps.iter().any(|step| step["add_prefix_space"] == true) {
        return Err("this tokenizer adds a space before the text, which is not done here".to_owned());
    }
    match (splits, last["use_regex"].as_bool().unwrap_or(true)) {
        ([], true) => Ok(Pattern::Gpt2),
        ([], false) => Ok(Pattern::None),
        ([split], false) => {
            if split["behavior"] != "Isolated" || split["invert"] == true {
                return Err("this tokenizer does not keep its pattern's matches as words".to_owned());
            }
            let regex = split["pattern"]["Regex"].as_str().unwrap_or_default();
            PATTERNS
                .into_iter()
                .find(|pattern| pattern.expression() == Some(regex))
                .ok_or_else(|| format!("this tokenizer cuts the text by a pattern that is not known here: `{regex}`"))
        }
        _ => Err("this tokenizer cuts the text in more than one step".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of three merges, with one of its values set.
    fn file(place: &str, value: Value) -> Option<String> {
        let merges = [(97, 98), (256, 99), (97, 99)];
        let mut json: Value =
            serde_json::from_str(&write(&Vocabulary::from_merges(&merges), &merges, Pattern::Gpt2)).ok()?;
        *json.pointer_mut(place)? = value;
        Some(json.to_string())
    }

    #[test]
    fn a_merge_that_is_listed_again_is_said() {
        let repeats = |merges: Value| {
            let file = file("/model/merges", merges).expect("the place is there");
            read("a.json", &file).expect("it is read").repeats
        };
        assert_eq!(repeats(json!([["a", "b"], ["ab", "c"], ["a", "c"]])), None);
        let once = repeats(json!([["a", "b"], ["a", "c"], ["a", "b"]])).unwrap_or_default();
        assert!(once.starts_with("lists a merge twice: `a` and `b` as 0 and as 2; the last place counts"), "{once}");
        // In either spelling, and however often.
        let often = repeats(json!(["a b", ["a", "b"], "a c", "a c", "a b"])).unwrap_or_default();
        assert!(often.contains("3 times in all") && often.contains("`a` and `b` as 0 and as 1"), "{often}");
    }

    #[test]
    fn an_id_has_one_added_token() {
        let added = |value: Value| {
            let file = file("/added_tokens", value).expect("the place is there");
            read("a.json", &file).map(drop).map_err(|problem| problem.message)
        };
        let token = |content: &str| json!({"id": 300, "content": content, "special": true});
        assert_eq!(added(json!([token("<a>"), token("<a>")])), Ok(()));
        let refused = added(json!([token("<a>"), token("<b>")]));
        assert_eq!(refused, Err("the id 300 has two added tokens, the last is `<b>`".to_owned()));
    }
}
