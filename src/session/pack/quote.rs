//! Figures quoted in prose: their sources, their values, and the description of the sources for readers.
//!
//! A quote names its source by words of the source's id. In a recording, `experiment.curve.time[32]` is a point of a
//! curve, with `bytes_per_s` and `flops_per_s` beside `time`, and `experiment.curve.library.time[32]` the library's
//! call at that point. In a profile, `run.counter` is a counter; of a device's data sheet, `device.l2_bytes` is a
//! figure.

use std::collections::{BTreeSet, HashMap};

use super::profile::{self, Profile};
use crate::base::diag::{Diagnostic, did_you_mean, nearest};
use crate::base::units::{figure, number, range, si};
use crate::device::DeviceSpec;
use crate::figures::Counted;
use crate::lesson::scope::TIMED_FIELDS;
use crate::lesson::{
    Block, Env, EvalError, Inline, Lesson, Pack, PackFiles, Param, Quote, QuotedNumber, Scope, each_inline, within,
};
use crate::session::experiment::recording::Recording;
use crate::session::jobs::Params;
use crate::trace::record::CacheState;

/// The run name of a device's figures.
const DEVICE: &str = "device";

/// The name of a library's call in a point.
const LIBRARY: &str = "library";

/// The sources that a pack can quote.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'a> {
    /// Its recordings; the learner's own are left out.
    pub recordings: &'a [Recording],
    pub profiles: &'a [Profile],
    pub devices: &'a [DeviceSpec],
}

/// A quote with its text and sources.
#[derive(Clone, Debug, PartialEq)]
pub struct Quoted {
    /// The text shown: a figure, or the range over several sources.
    pub text: String,
    /// Each source with its figures, shown on request.
    pub from: Vec<String>,
}

/// One source's figures for a quote.
#[derive(Clone, Debug)]
struct Given {
    /// The source in a few words: its device, interface and date.
    name: String,
    /// How its figures were obtained: "recorded on", "profiled on".
    verb: &'static str,
    /// The figures, as the quote names them from left to right.
    found: Vec<Found>,
}

impl Given {
    /// Whether a curve was recorded of a kernel that has changed since.
    fn is_stale(&self) -> bool {
        self.found.iter().any(|found| found.is_stale)
    }

    fn value(&self, quote: &Quote, outer: &dyn Scope) -> Result<f64, EvalError> {
        quote.expr.eval(&Known { figures: &quote.figures, given: self, outer })
    }
}

/// A pack's quotes with their sources' figures, looked up once, and its profiles.
#[derive(Clone, Debug, Default)]
pub struct Quotes {
    given: HashMap<String, Vec<Given>>,
    profiles: Vec<Profile>,
}

#[derive(Clone, Copy)]
enum Source<'a> {
    Recording(&'a Recording),
    Profile(&'a Profile),
    Device(&'a DeviceSpec),
}

/// A source's figure under a name.
#[derive(Clone, Debug)]
struct Found {
    value: f64,
    /// In words, with its spread if it has one.
    said: String,
    is_stale: bool,
}

/// Why a quote has no figure: the message and the hint.
type Why = (String, String);

/// The names in a quote: a source's figures, and the outer scope.
struct Known<'a> {
    figures: &'a [QuotedNumber],
    given: &'a Given,
    outer: &'a dyn Scope,
}

impl Known<'_> {
    fn find(&self, name: &str, at: Option<f64>) -> Option<f64> {
        let place = self.figures.iter().position(|figure| figure.name == name && figure.at == at)?;
        self.given.found.get(place).map(|found| found.value)
    }
}

impl Scope for Known<'_> {
    fn get(&self, name: &str) -> Result<f64, EvalError> {
        self.find(name, None).map_or_else(|| self.outer.get(name), Ok)
    }

    fn element(&self, name: &str, index: f64) -> Result<f64, EvalError> {
        self.find(name, Some(index)).ok_or_else(|| EvalError::NoElement(name.to_owned(), index))
    }
}

impl Quotes {
    /// Resolves a pack's quotes; reports their problems, each at its place: a missing source, experiment, curve, point
    /// or counter, or arithmetic without a result. A kernel that has changed since it was recorded is a warning.
    #[must_use]
    pub fn find(pack: &Pack, sources: Sources<'_>) -> (Self, Vec<Diagnostic>) {
        let (mut known, mut problems) = (Self::default(), Vec::new());
        for lesson in &pack.lessons {
            let mut quotes = Vec::new();
            lesson.each_inline(&mut |inline| quotes.extend(as_quote(inline)));
            let settings = crate::session::jobs::defaults(lesson);
            let env = Env::fixed(&lesson.params, &lesson.values, &settings);
            for quote in quotes {
                let given = sources.given(lesson, quote).and_then(|given| {
                    given.iter().try_for_each(|given| given.value(quote, &env).map(drop)).map_err(|error| {
                        let problem = Diagnostic::error(format!("this quote has no value: {error}"));
                        problem.in_place(&quote.place).hint("write arithmetic that has one")
                    })?;
                    Ok(given)
                });
                match given {
                    Ok(given) => {
                        let stale: Vec<&str> = given.iter().filter(|g| g.is_stale()).map(|g| g.name.as_str()).collect();
                        if !stale.is_empty() {
                            let message = "this quotes what was recorded of a kernel that has changed since";
                            let problem = Diagnostic::warning(format!("{message} ({})", stale.join("; ")));
                            let hint = "record again with `warpbook record`, or quote another recording";
                            problems.push(problem.in_place(&quote.place).hint(hint));
                        }
                        known.given.insert(key(lesson, quote), given);
                    }
                    Err(problem) => problems.push(problem),
                }
            }
        }
        (known, problems)
    }

    /// The same, with the pack's profiles read from its files.
    #[must_use]
    pub fn load(
        files: &PackFiles,
        pack: &Pack,
        recordings: &[Recording],
        devices: &[DeviceSpec],
    ) -> (Self, Vec<Diagnostic>) {
        let (profiles, mut problems) = profile::load(files, pack);
        let (known, found) = Self::find(pack, Sources { recordings, profiles: &profiles, devices });
        problems.extend(found);
        (Self { profiles, ..known }, problems)
    }

    /// A device's DRAM counters for a kernel at these parameters; None if no profile of the pack has that run.
    #[must_use]
    pub fn counted(&self, lesson: &Lesson, kernel: &str, params: &Params) -> Option<Counted> {
        self.profiles.iter().find_map(|profile| {
            let run = profile.runs.iter().find(|run| {
                // A parameter that the run does not name was at its default.
                let set = |param: &Param| run.set.get(&param.id).copied().unwrap_or(param.default);
                let same = |param: &Param| params.get(&param.id).is_none_or(|value| *value == set(param));
                run.lesson == lesson.id && run.kernel == kernel && lesson.params.iter().all(same)
            })?;
            let bytes = |name: &str| Some(run.counters.iter().find(|counter| counter.name == name)?.value);
            let (read, written) = (bytes("dram_read_bytes")?, bytes("dram_write_bytes")?);
            Some(Counted { read, written, whence: format!("{}, {}", profile.device, profile.date) })
        })
    }

    /// A lesson's quote with its text; `outer` has the parameters used with its figures. None if its figures are
    /// missing.
    #[must_use]
    pub fn read(&self, lesson: &Lesson, quote: &Quote, outer: &dyn Scope) -> Option<Quoted> {
        let given = self.given.get(&key(lesson, quote))?;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut from = Vec::new();
        for one in given {
            let value = one.value(quote, outer).ok()?;
            (low, high) = (low.min(value), high.max(value));
            let Given { name, verb, found } = one;
            from.push(match given.len() {
                1 => format!("{verb}{name}"),
                _ => format!("{verb}{name}: {}", figure(value, &quote.unit)),
            });
            from.extend(found.iter().map(|found| format!("  {}", found.said)));
            from.extend(one.is_stale().then(|| "  of a kernel that has changed since".to_owned()));
        }
        Some(Quoted { text: range(low, high, &quote.unit), from })
    }

    /// The value of a quote; of one that covers several sources, the middle of their range. None if its figures are missing.
    #[must_use]
    pub fn value(&self, lesson: &Lesson, quote: &Quote, outer: &dyn Scope) -> Option<f64> {
        let given = self.given.get(&key(lesson, quote))?;
        let values: Vec<f64> = given.iter().map(|one| one.value(quote, outer).ok()).collect::<Option<_>>()?;
        let low = values.iter().copied().reduce(f64::min)?;
        let high = values.iter().copied().reduce(f64::max)?;
        Some(f64::midpoint(low, high))
    }

    /// The sources quoted by some blocks of a lesson and by the predictions in them, each once.
    #[must_use]
    pub fn names<'a>(&'a self, lesson: &'a Lesson, blocks: &'a [Block]) -> BTreeSet<&'a str> {
        let mut quotes = Vec::new();
        let mut see = |inline: &'a Inline| quotes.extend(as_quote(inline));
        each_inline(blocks, &mut see);
        for block in blocks {
            let Block::Predict(id) = block else { continue };
            let predictions = lesson.predictions.iter().filter(|prediction| prediction.id == *id);
            predictions.for_each(|prediction| within(&prediction.because, &mut see));
        }
        let given = quotes.into_iter().filter_map(|quote| self.given.get(&key(lesson, quote))).flatten();
        given.map(|given| given.name.as_str()).collect()
    }
}

/// The key of a quote: its expression and source, and its lesson.
fn key(lesson: &Lesson, quote: &Quote) -> String {
    format!("{} {} @ {}", lesson.id, quote.expr.source(), quote.source)
}

fn as_quote(inline: &Inline) -> Option<&Quote> {
    if let Inline::Quote(quote) = inline { Some(quote) } else { None }
}

impl<'a> Sources<'a> {
    /// The figures of a quote from each of its sources.
    fn given(&self, lesson: &Lesson, quote: &Quote) -> Result<Vec<Given>, Diagnostic> {
        quote.figures.iter().try_for_each(|figure| check(lesson, figure))?;
        let (sources, is_all) = self.chosen(quote)?;
        let (mut given, mut missing) = (Vec::new(), None);
        for source in sources {
            match source.figures(lesson, &quote.figures) {
                Ok(found) => given.push(Given { name: source.name(), verb: source.verb(), found }),
                Err(why) => missing = missing.or(Some(why)),
            }
        }
        if let Some(why) = missing.filter(|_| !is_all || given.is_empty()) {
            return Err(why);
        }
        // Of several sources, those of the current kernels are preferred.
        if given.iter().any(|given| !given.is_stale()) {
            given.retain(|given| !given.is_stale());
        }
        Ok(given)
    }

    /// The sources that a quote's words fit, and whether it wants all of them.
    fn chosen(&self, quote: &Quote) -> Result<(Vec<Source<'a>>, bool), Diagnostic> {
        let mut words: Vec<String> =
            quote.source.split([' ', '-', ',']).filter(|w| !w.is_empty()).map(str::to_ascii_lowercase).collect();
        let is_all = quote.is_range();
        words.drain(..usize::from(is_all));
        let all: Vec<Source<'a>> = self.all().collect();
        let error = |message: String, hint: String| Err(Diagnostic::error(message).in_place(&quote.place).hint(hint));
        let known = || all.iter().flat_map(|source| source.id().split('-'));
        if let Some(strange) = words.iter().find(|word| !known().any(|part| part == *word)) {
            let (mut ids, mut parts) = (all.iter().map(Source::id).collect::<Vec<_>>(), known().collect::<Vec<_>>());
            ids.sort_unstable();
            parts.sort_unstable();
            parts.dedup();
            let near = nearest(strange, parts);
            let hint = near.map_or_else(
                || format!("name a recording, a profile or a device by words of its id: {}", ids.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            return error(format!("no recording, profile or device has `{strange}` in its name"), hint);
        }
        let fits = |source: &&Source<'a>| words.iter().all(|word| source.id().split('-').any(|part| part == word));
        let fitting: Vec<Source<'a>> = all.iter().filter(fits).copied().collect();
        if is_all && !fitting.is_empty() {
            return Ok((fitting, true));
        }
        // A name whose parts are in all others is still a name.
        let has = |source: &Source<'a>, part: &str| source.id().split('-').any(|known| known == part);
        let is_part = |of: &Source<'a>| fitting.iter().all(|other| of.id().split('-').all(|part| has(other, part)));
        let exact = fitting.iter().find(|source| is_part(source));
        match (fitting.as_slice(), exact) {
            ([only], _) | (_, Some(only)) => Ok((vec![*only], false)),
            ([], _) => error(format!("no source is called `{}`", quote.source), "use fewer words".to_owned()),
            (several, None) => {
                let ids: Vec<&str> = several.iter().map(Source::id).collect();
                let message = format!("`{}` may be any of {}", quote.source, ids.join(", "));
                error(message, "add a word of the one that you mean, or `all` for the range over them".to_owned())
            }
        }
    }

    fn all(&self) -> impl Iterator<Item = Source<'a>> {
        let recordings = self.recordings.iter().filter(|recording| !recording.own).map(Source::Recording);
        recordings.chain(self.profiles.iter().map(Source::Profile)).chain(self.devices.iter().map(Source::Device))
    }
}

/// Fails if a figure of a curve names an experiment, curve or field that does not exist. Other sources check their own
/// figures.
fn check(lesson: &Lesson, figure: &QuotedNumber) -> Result<(), Diagnostic> {
    let Some(_) = figure.at else { return Ok(()) };
    let error = |message: String, hint: String| Err(Diagnostic::error(message).in_place(&figure.place).hint(hint));
    let Some(point) = Point::named(&figure.name) else {
        let message = format!("`{}` is no point of a curve", figure.name);
        return error(
            message,
            "write experiment.curve.time[32], with the parameter's value in the brackets".to_owned(),
        );
    };
    let Some(experiment) = lesson.experiments.iter().find(|experiment| experiment.id == point.experiment) else {
        let known = lesson.experiments.iter().filter(|e| !e.quantity.is_traced()).map(|e| e.id.as_str());
        return error(format!("there is no experiment `{}`", point.experiment), did_you_mean(point.experiment, known));
    };
    if !experiment.curves.iter().any(|curve| curve.id == point.curve) {
        let known = experiment.curves.iter().map(|curve| curve.id.as_str());
        let message = format!("the experiment `{}` has no curve `{}`", experiment.id, point.curve);
        return error(message, did_you_mean(point.curve, known));
    }
    let timed = TIMED_FIELDS.map(|field| field.name);
    if !timed.contains(&point.field) {
        return error(format!("a recording has no `{}`", point.field), did_you_mean(point.field, timed));
    }
    Ok(())
}

/// A point of a curve, by the parts of its name.
struct Point<'a> {
    experiment: &'a str,
    curve: &'a str,
    is_library: bool,
    field: &'a str,
}

impl<'a> Point<'a> {
    fn named(name: &'a str) -> Option<Self> {
        let parts: Vec<&str> = name.split('.').collect();
        match parts.as_slice() {
            [experiment, curve, field] => Some(Self { experiment, curve, is_library: false, field }),
            [experiment, curve, LIBRARY, field] => Some(Self { experiment, curve, is_library: true, field }),
            _ => None,
        }
    }
}

impl<'a> Source<'a> {
    fn id(&self) -> &'a str {
        match self {
            Self::Recording(recording) => &recording.id,
            Self::Profile(profile) => &profile.id,
            Self::Device(device) => &device.id,
        }
    }

    /// Its short name.
    fn name(&self) -> String {
        match self {
            Self::Recording(recording) => recording.name(),
            Self::Profile(profile) => profile.name(),
            Self::Device(device) => format!("{}, data sheet", device.name),
        }
    }

    /// How its figures were obtained: "recorded on", "profiled on".
    fn verb(&self) -> &'static str {
        match self {
            Self::Recording(_) => "recorded on ",
            Self::Profile(_) => "profiled on ",
            Self::Device(_) => "",
        }
    }

    /// Its values of some figures; the first one missing is the error.
    fn figures(&self, lesson: &Lesson, figures: &[QuotedNumber]) -> Result<Vec<Found>, Diagnostic> {
        let found = figures.iter().map(|figure| {
            let found = match (self, figure.at) {
                (Self::Recording(recording), Some(at)) => point(recording, lesson, &figure.name, at),
                (Self::Profile(profile), None) => counter(profile, &figure.name),
                (Self::Device(device), None) => published(device, &figure.name),
                (Self::Recording(_), None) => Err((
                    format!(
                        "`{}` is a figure of a profile or a device, and `{}` is a recording",
                        figure.name,
                        self.id()
                    ),
                    "write experiment.curve.time[32], with the parameter's value in the brackets".to_owned(),
                )),
                (Self::Profile(_) | Self::Device(_), Some(_)) => Err((
                    format!("`{}` is a point of a curve, and `{}` has no curves", figure.name, self.id()),
                    "name a recording, or write run.counter or device.figure".to_owned(),
                )),
            };
            found.map_err(|(message, hint)| Diagnostic::error(message).in_place(&figure.place).hint(hint))
        });
        found.collect()
    }
}

/// A point of a recorded curve.
fn point(recording: &Recording, lesson: &Lesson, name: &str, at: f64) -> Result<Found, Why> {
    let again = || "quote another recording, or record again with `warpbook record`".to_owned();
    let not_here = |what: String| (format!("`{}` has no {what}", recording.id), again());
    let Some(Point { experiment, curve, is_library, field }) = Point::named(name) else {
        return Err(not_here(format!("figure `{name}`")));
    };
    let experiments = recording.experiments.iter().filter(|e| e.lesson == lesson.id);
    let recorded = experiments.into_iter().find(|recorded| recorded.experiment == experiment);
    let recorded = recorded.ok_or_else(|| not_here(format!("experiment `{experiment}`")))?;
    let points = recorded.curves.iter().find(|recorded| recorded.curve == curve).map(|recorded| &recorded.points);
    let points = points.ok_or_else(|| not_here(format!("curve `{curve}` of `{experiment}`")))?;
    #[expect(clippy::float_cmp, reason = "a point is named by the very value that was set")]
    let Some(point) = points.iter().find(|point| point.x == at) else {
        let known: Vec<String> = points.iter().map(|point| point.x.to_string()).collect();
        let message = format!("`{}` has no point of `{experiment}.{curve}` at {} {at}", recording.id, recorded.over);
        return Err((message, format!("it has {}", known.join(", "))));
    };
    let (time, whose) = match (&point.library, is_library) {
        (_, false) => (point.time(), String::new()),
        (Some(library), true) => (library.time(point.cache), format!(" ({})", library.name)),
        (None, true) => return Err(not_here(format!("library's call beside `{experiment}.{curve}` at {at}"))),
    };
    let (value, unit) = match field {
        "bytes_per_s" => (point.bytes / time.median_s, "B/s"),
        "flops_per_s" => (point.flops / time.median_s, "FLOP/s"),
        _ => (time.median_s, "s"),
    };
    let known = lesson.experiments.iter().find(|known| known.id == experiment);
    let shown = known.and_then(|known| recording.shown(lesson, known)).map(|(_, shown)| &shown.sweep.points);
    #[expect(clippy::float_cmp, reason = "both were read from one number")]
    let is_current = shown.is_some_and(|points| points.iter().any(|p| p.kernel.id == curve && p.x == at));
    let title = known.map_or(experiment, |known| known.title.as_str());
    let named = known.and_then(|known| known.curves.iter().find(|known| known.id == curve));
    let cache = match time.cache {
        CacheState::Cold => "cold",
        CacheState::Warm => "warm",
    };
    let said = format!(
        "{title}, {}{whose} at {} {}: {} (time {}, p10–p90 {}–{}, n = {}, {cache} cache)",
        named.map_or(curve, |known| known.title.as_str()),
        recorded.over,
        number(at),
        si(value, unit),
        si(time.median_s, "s"),
        si(time.p10_s, "s"),
        si(time.p90_s, "s"),
        time.samples,
    );
    Ok(Found { value, said, is_stale: !is_current })
}

/// A counter of a profile's run.
fn counter(profile: &Profile, name: &str) -> Result<Found, Why> {
    let (id, counter) = name.split_once('.').unwrap_or((name, ""));
    let run = profile.run(id).ok_or_else(|| {
        let known = profile.runs.iter().map(|run| run.id.as_str());
        (format!("`{}` has no run `{id}`", profile.id), did_you_mean(id, known))
    })?;
    let known = run.counters.iter().map(|counter| counter.name.as_str());
    let found = run.counters.iter().find(|known| known.name == counter).ok_or_else(|| {
        (format!("the run `{id}` of `{}` has no counter `{counter}`", profile.id), did_you_mean(counter, known))
    })?;
    let set: Vec<String> = run.set.iter().map(|(id, value)| format!("{id} = {}", number(*value))).collect();
    let said = format!(
        "{}: {} = {}; {}; {}",
        run.kernel,
        counter,
        figure(found.value, &found.unit),
        set.join(", "),
        profile.command
    );
    Ok(Found { value: found.value, said, is_stale: false })
}

/// A figure of a device's data sheet.
fn published(device: &DeviceSpec, name: &str) -> Result<Found, Why> {
    let figures = device.figures.numbers();
    let wanted = name.strip_prefix(DEVICE).and_then(|rest| rest.strip_prefix('.')).unwrap_or_default();
    let (_, value, source) = figures.iter().find(|(known, ..)| *known == wanted).ok_or_else(|| {
        let names: Vec<String> = figures.iter().map(|(known, ..)| format!("{DEVICE}.{known}")).collect();
        let hint = did_you_mean(name, names.iter().map(String::as_str));
        (format!("`{}` has no figure `{name}`", device.id), hint)
    })?;
    let source = device.sources.get(*source).map_or("", String::as_str);
    Ok(Found { value: *value, said: format!("{wanted} = {}: {source}", number(*value)), is_stale: false })
}
