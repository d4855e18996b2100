//! Reading RON by hand, so that one pass reports every mistake: each value keeps its slice of the file.
//!
//! A derived deserialiser stops at its first error. Here a struct is read into its fields as raw slices, and each
//! field is then read on its own.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;

use ron::error::{Error as RonError, SpannedError};
use ron::extensions::Extensions;
use ron::value::RawValue;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};

use super::excerpt::{Excerpt, Source};
use super::records::Record;
pub(super) use crate::base::diag::did_you_mean;
use crate::base::diag::{Place, nearest};

/// A RON value of a file, not parsed yet.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    /// The file.
    pub source: &'a Source<'a>,
    /// The value's text, without surrounding spaces and comments.
    pub raw: &'a str,
}

/// A string from a file.
#[derive(Clone)]
pub(super) struct Text<'a> {
    /// Its contents.
    pub value: String,
    /// Its value in the file.
    pub node: Node<'a>,
}

impl Text<'_> {
    /// The string with the places of its bytes.
    pub fn excerpt(&self) -> Excerpt<'_> {
        Excerpt::of_string(self.node.source, self.node.raw, &self.value)
    }

    /// Adds an error about the string.
    pub fn error(&self, message: impl Into<String>, hint: impl Into<String>) {
        self.excerpt().error(0, message, hint);
    }
}

impl<'a> Node<'a> {
    /// The value that is the whole file.
    pub fn whole(source: &'a Source<'a>) -> Self {
        Self { source, raw: source.text }
    }

    fn inner(self, raw: &'a RawValue) -> Self {
        Self { source: self.source, raw: raw.trim().get_ron() }
    }

    /// The offset at which it begins in the file.
    pub fn start(self) -> usize {
        self.source.offset_of(self.raw)
    }

    /// Its place in the file.
    pub fn place(self) -> Place {
        self.source.place(self.start())
    }

    /// The name of an enum's variant, and its arguments with their parentheses; None if it has none.
    pub fn variant(self) -> (&'a str, Option<Self>) {
        let end = self.raw.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.raw.len());
        let (name, rest) = self.raw.split_at(end);
        let rest = rest.trim_start();
        (name, (!rest.is_empty()).then_some(Self { raw: rest, ..self }))
    }

    /// Whether it begins like named fields in parentheses.
    pub fn is_struct(self) -> bool {
        let inner = self.raw.strip_prefix('(').unwrap_or_default().trim_start();
        let name = inner.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        name.len() < inner.len() && name.trim_start().starts_with(':')
    }

    /// Reads it as one value in parentheses.
    pub fn only(self) -> Option<Self> {
        let (raw,) = self.read::<(&RawValue,)>("one value in parentheses")?;
        Some(self.inner(raw))
    }

    /// Adds an error about the value.
    pub fn error(self, message: impl Into<String>, hint: impl Into<String>) {
        self.source.error(self.start(), message, hint);
    }

    /// Parses it as a `T`, which `wanted` describes. A mistake is reported, and None is returned.
    pub fn read<T: Deserialize<'a>>(self, wanted: &str) -> Option<T> {
        let options = ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME);
        options.from_str(self.raw).map_err(|error| self.explain(&error, wanted)).ok()
    }

    fn explain(self, error: &SpannedError, wanted: &str) {
        let (offset, message, hint) = match &error.code {
            RonError::NoSuchEnumVariant { expected, found, .. } => {
                let hint = did_you_mean(found, expected.iter().copied());
                (0, format!("there is no `{found}` here"), hint)
            }
            code => {
                let at = offset_of_position(self.raw, error.span.start.line, error.span.start.col);
                let message = code.to_string();
                let hint = match code {
                    RonError::Eof
                    | RonError::ExpectedComma
                    | RonError::ExpectedArrayEnd
                    | RonError::ExpectedMapEnd
                    | RonError::ExpectedStructLikeEnd
                    | RonError::ExpectedStringEnd
                    | RonError::TrailingCharacters => {
                        "look for a missing comma, quote or closing `)`, `]` or `}` just before".to_owned()
                    }
                    RonError::InvalidEscape(_) => {
                        r#"a backslash in a string begins an escape, such as \n or \": write \\ for itself, or r"…" to have none"#.to_owned()
                    }
                    _ => format!("write {wanted}"),
                };
                let lower = message.chars().take(1).flat_map(char::to_lowercase).chain(message.chars().skip(1));
                (at, format!("cannot read this: {}", lower.collect::<String>()), hint)
            }
        };
        self.source.error(self.start() + offset, message, hint);
    }

    /// Reads it as a string.
    pub fn text(self) -> Option<Text<'a>> {
        Some(Text { value: self.read("a string in double quotes")?, node: self })
    }

    /// Reads it as a list.
    pub fn list(self) -> Option<Vec<Self>> {
        let raw = self.read::<Vec<&RawValue>>("a list in square brackets")?;
        Some(raw.into_iter().map(|raw| self.inner(raw)).collect())
    }

    /// Reads it as a pair.
    pub fn pair(self) -> Option<[Self; 2]> {
        let (a, b) = self.read::<(&RawValue, &RawValue)>("two values in parentheses")?;
        Some([a, b].map(|raw| self.inner(raw)))
    }

    /// Reads it as three values.
    pub fn triple(self) -> Option<[Self; 3]> {
        let (a, b, c) = self.read::<(&RawValue, &RawValue, &RawValue)>("three values in parentheses")?;
        Some([a, b, c].map(|raw| self.inner(raw)))
    }

    /// Reads it as a map from strings, in the file's order.
    pub fn map(self) -> Option<Vec<(Text<'a>, Self)>> {
        let entries = self.read::<Entries<'_, MapShape>>("a map in curly braces")?;
        let entries = entries.entries.into_iter();
        let read = entries.filter_map(|(key, value)| Some((self.inner(key).text()?, self.inner(value))));
        let read: Vec<(Text<'_>, Self)> = read.collect();
        let mut earlier: HashSet<&str> = HashSet::new();
        for (key, _) in &read {
            if !earlier.insert(&key.value) {
                key.error(format!("`{}` is here twice", key.value), "keep one of them");
            }
        }
        Some(read)
    }

    /// Reads it as this record: named fields in parentheses.
    pub fn fields(self, record: &'static Record) -> Option<Fields<'a>> {
        let fields = self.entries()?;
        Some(Fields { whole: self, record, fields, asked: RefCell::default(), missing: RefCell::default() })
    }

    /// Reads it as named fields in parentheses, whatever their names.
    pub fn entries(self) -> Option<Vec<(&'a str, Self)>> {
        let entries = self.read::<Entries<'_, StructShape>>("named fields in parentheses")?;
        let mut fields: Vec<(&str, Self)> = Vec::new();
        let mut earlier: HashSet<&str> = HashSet::new();
        for (name, raw) in entries.entries {
            if !earlier.insert(name) {
                self.source.error(
                    self.source.offset_of(name),
                    format!("the field `{name}` is here twice"),
                    "keep one of them",
                );
            } else {
                fields.push((name, self.inner(raw)));
            }
        }
        Some(fields)
    }
}

/// The fields of a struct. Each is requested by name, and [`Fields::finish`] must be called at the end.
#[must_use = "unknown and missing fields are reported by `finish`"]
pub(super) struct Fields<'a> {
    whole: Node<'a>,
    record: &'static Record,
    fields: Vec<(&'a str, Node<'a>)>,
    asked: RefCell<Vec<&'static str>>,
    missing: RefCell<Vec<&'static str>>,
}

impl<'a> Fields<'a> {
    /// The field of the record; [`Fields::finish`] reports it if it is required and missing.
    pub fn get(&self, name: &'static str) -> Option<Node<'a>> {
        let field = self.record.field(name);
        debug_assert!(field.is_some(), "the record has no field `{name}`");
        if field.is_some_and(|field| field.required) { self.needed(name) } else { self.find(name) }
    }

    /// The field, where others require it; [`Fields::finish`] reports it if it is missing.
    pub fn needed(&self, name: &'static str) -> Option<Node<'a>> {
        let node = self.find(name);
        if node.is_none() {
            self.missing.borrow_mut().push(name);
        }
        node
    }

    fn find(&self, name: &'static str) -> Option<Node<'a>> {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&name) {
            asked.push(name);
        }
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, node)| *node)
    }

    /// A field of an earlier format, if present, to report or convert it.
    pub fn former(&mut self, name: &str) -> Option<Node<'a>> {
        let place = self.fields.iter().position(|(field, _)| *field == name)?;
        Some(self.fields.remove(place).1)
    }

    /// A string.
    pub fn text(&self, name: &'static str) -> Option<Text<'a>> {
        self.get(name)?.text()
    }

    /// A string, empty if absent.
    pub fn text_or_empty(&self, name: &'static str) -> Option<String> {
        self.get(name).map_or(Some(String::new()), |node| Some(node.text()?.value))
    }

    /// A list, empty if absent.
    pub fn list(&self, name: &'static str) -> Option<Vec<Node<'a>>> {
        self.get(name).map_or_else(|| Some(Vec::new()), Node::list)
    }

    /// A map, empty if absent.
    pub fn map(&self, name: &'static str) -> Option<Vec<(Text<'a>, Node<'a>)>> {
        self.get(name).map_or_else(|| Some(Vec::new()), Node::map)
    }

    /// Reports the fields that were not requested, and the required ones that are missing.
    pub fn finish(self) {
        let asked = self.asked.into_inner();
        let unknown: Vec<&str> =
            self.fields.iter().map(|(name, _)| *name).filter(|name| !asked.contains(name)).collect();
        for name in &unknown {
            let source = self.whole.source;
            source.error(
                source.offset_of(name),
                format!("there is no field `{name}` here"),
                did_you_mean(name, asked.iter().copied()),
            );
        }
        for name in self.missing.into_inner() {
            // A misspelt required field was already reported as unknown.
            if nearest(name, unknown.iter().copied()).is_none() {
                self.whole.error(format!("the field `{name}` is missing"), format!("add `{name}: …`"));
            }
        }
    }
}

/// The byte offset of a line and column, both counted from 1, in characters.
fn offset_of_position(text: &str, line: usize, column: usize) -> usize {
    let line_start = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
    let rest = &text[line_start..];
    line_start + rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(i, _)| i)
}

/// The syntax of [`Entries`]: a struct or a map.
trait Shape {
    type Key<'de>: Deserialize<'de>;
    fn deserialize<'de, D: Deserializer<'de>, V: Visitor<'de>>(from: D, visitor: V) -> Result<V::Value, D::Error>;
}

struct StructShape;
impl Shape for StructShape {
    type Key<'de> = &'de str;
    fn deserialize<'de, D: Deserializer<'de>, V: Visitor<'de>>(from: D, visitor: V) -> Result<V::Value, D::Error> {
        from.deserialize_struct("", &[], visitor)
    }
}

struct MapShape;
impl Shape for MapShape {
    type Key<'de> = &'de RawValue;
    fn deserialize<'de, D: Deserializer<'de>, V: Visitor<'de>>(from: D, visitor: V) -> Result<V::Value, D::Error> {
        from.deserialize_map(visitor)
    }
}

/// Keys and raw values in file order.
struct Entries<'de, S: Shape> {
    entries: Vec<(S::Key<'de>, &'de RawValue)>,
}

impl<'de, S: Shape> Deserialize<'de> for Entries<'de, S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect<S>(std::marker::PhantomData<S>);
        impl<'de, S: Shape> Visitor<'de> for Collect<S> {
            type Value = Entries<'de, S>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("names and values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries { entries })
            }

            fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
                Ok(Entries { entries: Vec::new() })
            }
        }
        S::deserialize(deserializer, Collect(std::marker::PhantomData::<S>))
    }
}
