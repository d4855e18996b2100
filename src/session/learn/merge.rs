//! Two windows on one state file: the changes of both in one state, so that neither loses words.

use std::collections::{BTreeMap, BTreeSet};

use super::edits::Edit;
use super::saved::{LessonSaved, Saved};

/// Three versions of a state, or of a part of it: the common base, this window's, the other window's.
type Three<'a, T> = [&'a T; 3];

/// A three-way merge: this window's changes on top of the other one's state, and the conflicts in words. In a conflict
/// this window's value stays. For the learner's place and the window's look, the later value wins, and no conflict is
/// reported.
#[must_use]
pub fn merge(base: &Saved, mine: &Saved, theirs: &Saved) -> (Saved, Vec<String>) {
    let all = [base, mine, theirs];
    let nothing = LessonSaved::default();
    let mut clashes = Vec::new();
    let ids: BTreeSet<&String> = mine.lessons.keys().chain(theirs.lessons.keys()).collect();
    let lessons = ids.into_iter().map(|id| {
        let of = all.map(|saved| saved.lessons.get(id).unwrap_or(&nothing));
        let (lesson, both) = merge_lesson(of);
        clashes.extend(both.into_iter().map(|what| format!("{what} in `{id}`")));
        (id.clone(), lesson)
    });
    let lessons = lessons.collect();
    let saved = Saved {
        lesson: later(all.map(|saved| &saved.lesson)),
        lessons,
        backend: later(all.map(|saved| &saved.backend)),
        theme: later(all.map(|saved| &saved.theme)),
        still: later(all.map(|saved| &saved.still)),
        model: later(all.map(|saved| &saved.model)),
        recording: later(all.map(|saved| &saved.recording)),
        room: later(all.map(|saved| &saved.room)),
        window: later(all.map(|saved| &saved.window)),
    };
    (saved, clashes)
}

fn merge_lesson(all: Three<'_, LessonSaved>) -> (LessonSaved, Vec<String>) {
    let [base, mine, theirs] = all;
    let mut clashes = Vec::new();
    let words = merge_map([&base.words, &mine.words, &theirs.words], |step| {
        clashes.push(format!("your words on the step `{step}`"));
    });
    let predictions = merge_map([&base.predictions, &mine.predictions, &theirs.predictions], |id| {
        clashes.push(format!("your prediction `{id}`"));
    });
    let first = merge_map([&base.first, &mine.first, &theirs.first], |_| {});
    let drawn = merge_map([&base.drawn, &mine.drawn, &theirs.drawn], |id| {
        clashes.push(format!("your curve for the prediction `{id}`"));
    });
    let by_id = all.map(|of| of.edits.iter().map(|edit| (edit.id.clone(), edit.clone())).collect::<BTreeMap<_, _>>());
    let [in_base, in_mine, in_theirs] = &by_id;
    let mut merged = merge_map([in_base, in_mine, in_theirs], |id| clashes.push(format!("your kernel `{id}`")));
    // Versions stay in the order in which they were made, as far as one window knows it.
    let order = mine.edits.iter().chain(&theirs.edits);
    let edits: Vec<Edit> = order.filter_map(|edit| merged.remove(&edit.id)).collect();
    let exercises = merge_map([&base.exercises, &mine.exercises, &theirs.exercises], |id| {
        clashes.push(format!("your exercise `{id}`"));
    });
    let seen: BTreeSet<&String> = mine.seen.iter().chain(&theirs.seen).collect();
    let lesson = LessonSaved {
        step: later(all.map(|of| &of.step)),
        figure: later(all.map(|of| &of.figure)),
        edit: later(all.map(|of| &of.edit)),
        scene: None,
        moved: merge_map([&base.moved, &mine.moved, &theirs.moved], |_| {}),
        params: BTreeMap::new(),
        words,
        predictions,
        first,
        drawn,
        exercises,
        exercise: later(all.map(|of| &of.exercise)),
        solution: later(all.map(|of| &of.solution)),
        edits,
        explored: later(all.map(|of| &of.explored)),
        seen: seen.into_iter().filter(|id| later(all.map(|of| of.seen.contains(id)).each_ref())).cloned().collect(),
    };
    (lesson, clashes)
}

/// Merges entry by entry; `on_clash` gets the keys that both changed differently.
fn merge_map<V: Clone + PartialEq>(
    all: Three<'_, BTreeMap<String, V>>,
    mut on_clash: impl FnMut(&str),
) -> BTreeMap<String, V> {
    let keys: BTreeSet<&String> = all[1].keys().chain(all[2].keys()).collect();
    let merged = keys.into_iter().filter_map(|key| {
        let of = all.map(|map| map.get(key));
        if clash(&of) {
            on_clash(key);
        }
        Some((key.clone(), later(of.each_ref()).cloned()?))
    });
    merged.collect()
}

/// This window's value if it changed it, else the other one's.
fn later<T: Clone + PartialEq>([base, mine, theirs]: Three<'_, T>) -> T {
    if mine == base { theirs.clone() } else { mine.clone() }
}

/// Whether both windows changed it, and differently.
fn clash<T: PartialEq>([base, mine, theirs]: &[T; 3]) -> bool {
    mine != base && theirs != base && mine != theirs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(words: &[(&str, &str)], step: &str, seen: &[&str]) -> Saved {
        let own = |text: &&str| (*text).to_owned();
        let lesson = LessonSaved {
            step: step.to_owned(),
            words: words.iter().map(|(step, text)| (own(step), own(text))).collect(),
            seen: seen.iter().map(own).collect(),
            ..LessonSaved::default()
        };
        Saved { lessons: [("a".to_owned(), lesson)].into(), ..Saved::default() }
    }

    #[test]
    fn both_windows_keep_their_words() {
        let base = with(&[("one", "old")], "one", &["one"]);
        let mine = with(&[("one", "old"), ("two", "mine")], "two", &["one", "two"]);
        let theirs = with(&[("one", "theirs")], "one", &["one", "three"]);
        let (merged, clashes) = merge(&base, &mine, &theirs);
        assert_eq!(merged, with(&[("one", "theirs"), ("two", "mine")], "two", &["one", "three", "two"]));
        assert!(clashes.is_empty(), "{clashes:?}");
    }

    #[test]
    fn what_both_changed_is_named() {
        let base = with(&[("one", "old")], "one", &[]);
        let (mine, theirs) = (with(&[("one", "mine")], "two", &[]), with(&[("one", "theirs")], "three", &[]));
        let (merged, clashes) = merge(&base, &mine, &theirs);
        assert_eq!(merged, mine);
        assert_eq!(clashes, ["your words on the step `one` in `a`"]);
        assert_eq!(merge(&base, &mine, &mine), (mine.clone(), Vec::new()), "the same change is none of two");
    }

    #[test]
    fn versions_of_kernels_are_told_apart_by_their_ids() {
        let of = |edits: &[(&str, &str)]| {
            let edits = edits.iter();
            let edits = edits.map(|(id, source)| Edit {
                id: (*id).to_owned(),
                source: (*source).to_owned(),
                ..Edit::default()
            });
            let lesson = LessonSaved { edits: edits.collect(), ..LessonSaved::default() };
            Saved { lessons: [("a".to_owned(), lesson)].into(), ..Saved::default() }
        };
        let base = of(&[("k+1", "x"), ("k+2", "x")]);
        let (merged, clashes) = merge(&base, &of(&[("k+2", "x"), ("k+3", "x")]), &of(&[("k+1", "x"), ("k+2", "y")]));
        assert_eq!(merged, of(&[("k+2", "y"), ("k+3", "x")]));
        assert!(clashes.is_empty(), "{clashes:?}");
    }
}
