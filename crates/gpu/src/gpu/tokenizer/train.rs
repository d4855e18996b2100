//! Training on a device. The different words of a text are counted part by part; then each round merges a pair in all
//! of them. The host only queues the rounds.

use super::board::{BLOCK, Board, CUT, REACH, Ready, rule};
use super::capacity::{Capacity, LANES, TILE, too_many};
use super::on_device;
use super::stage::{Stage, blocks};
use crate::base::diag::Diagnostic;
use crate::gpu::backend::{Failure, NullSink};
use crate::gpu::driver::{Command, Driver, Work};
use crate::tokenizer::tables::Table;
use crate::tokenizer::{Pattern, Ties, Vocabulary};
use crate::trace::record::Backend;

/// The most tokens: two of them are a number of 32 bits in the kernels' table of pairs.
pub const MOST_TOKENS: usize = 65_536;

/// Words that a workgroup merges in.
const WORDS: usize = 1024;

/// Rounds that are queued as one piece.
const ROUNDS: usize = 256;

/// Pieces of rounds after which the host asks whether a table is too small or nothing is left to merge; at the
/// beginning it asks more often. Asking costs time: it waits for the rounds that are queued.
const ASKED: usize = 16;

/// A device that trains.
pub trait Train {
    /// The merges that are learnt from texts, which follow each other and end where a piece ends. `on_progress` is
    /// called with how far it is.
    ///
    /// # Errors
    /// When a text or a word is too long, or the device fails.
    fn train(
        &mut self,
        texts: &[&str],
        on_progress: &mut dyn FnMut(TrainProgress),
    ) -> Result<Vec<(u32, u32)>, Diagnostic>;
}

/// How far a training is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainProgress {
    /// This many rounds are done.
    Rounds(usize),
    /// A table was too small for what the text has of this, and all begins again with a larger one.
    Again(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// How texts are cut into words.
    pub pattern: Pattern,
    /// Which of several pairs is merged that occur equally often.
    pub ties: Ties,
    /// Tokens of the vocabulary, the 256 bytes among them.
    pub size: usize,
}

impl Goal {
    /// Whether a device can learn it.
    ///
    /// # Errors
    /// When the pattern cuts nothing, or there are too many tokens.
    pub fn check(self) -> Result<(), Diagnostic> {
        rule(self.pattern, "trains on")?;
        if self.size <= MOST_TOKENS {
            return Ok(());
        }
        let message = format!("a device learns {MOST_TOKENS} tokens at most, and {} were asked for", self.size);
        Err(Diagnostic::error(message).hint("ask for fewer, or leave --backend out"))
    }
}

/// Checks whether a device can train on `bytes` bytes.
///
/// # Errors
/// When `bytes` does not fit in 32 bits.
pub fn check_length(bytes: usize) -> Result<(), Diagnostic> {
    if u32::try_from(bytes).is_ok() {
        return Ok(());
    }
    Err(Diagnostic::error(format!("a device trains on {} bytes at most", u32::MAX))
        .hint("train on a part of the text, or leave --backend out"))
}

/// Opens a device, and calls `work` with it. Memory is taken for texts of `bytes` bytes together.
///
/// # Errors
/// When there is no such device, the pattern cuts nothing, texts or vocabulary are too large, the device fails, or
/// `work` does.
pub fn training_on<T>(
    backend: Backend,
    goal: Goal,
    bytes: usize,
    work: impl FnOnce(&mut dyn Train) -> Result<T, Diagnostic>,
) -> Result<T, Diagnostic> {
    goal.check()?;
    let rule = rule(goal.pattern, "trains on")?;
    check_length(bytes)?;
    on_device(backend, Training { goal, rule, bytes, work })
}

/// The work that a device is opened for.
struct Training<F> {
    goal: Goal,
    /// The pattern's number.
    rule: usize,
    bytes: usize,
    work: F,
}

impl<T, F: FnOnce(&mut dyn Train) -> Result<T, Diagnostic>> Work for Training<F> {
    type Output = T;

    fn with<D: Driver>(self, driver: &D) -> Result<T, Failure> {
        let Self { goal, rule, bytes, work } = self;
        let device = driver.device();
        let most = device.max_binding_bytes.min(device.max_buffer_bytes);
        let capacity = Capacity::of(bytes, usize::try_from(most).unwrap_or(usize::MAX))?;
        let mut trainer =
            OnDevice { ready: Some(Trainer::new(driver, goal, rule, bytes, capacity)?), driver, goal, rule, bytes };
        Ok(work(&mut trainer)?)
    }
}

/// A device, ready to train; None if it failed.
struct OnDevice<'d, D: Driver> {
    ready: Option<Trainer<'d, D>>,
    driver: &'d D,
    goal: Goal,
    rule: usize,
    bytes: usize,
}

impl<D: Driver> Train for OnDevice<'_, D> {
    fn train(
        &mut self,
        texts: &[&str],
        on_progress: &mut dyn FnMut(TrainProgress),
    ) -> Result<Vec<(u32, u32)>, Diagnostic> {
        let mut train = || {
            loop {
                let trainer = self.ready.as_mut().ok_or_else(|| Diagnostic::error("the device has failed before"))?;
                let trouble = match trainer.kernels.train(&mut trainer.stage, texts, on_progress)? {
                    Outcome::Learned(merges) => return Ok(merges),
                    Outcome::TooSmall(trouble) => trouble,
                };
                let capacity = trainer.kernels.capacity.grown(trouble)?;
                on_progress(TrainProgress::Again(too_many(trouble)));
                // The old tables go before the new ones come.
                self.ready = None;
                self.ready = Some(Trainer::new(self.driver, self.goal, self.rule, self.bytes, capacity)?);
            }
        };
        train().map_err(|failure: Failure| failure.diagnostic)
    }
}

/// Tables and kernels, and the way there.
struct Trainer<'d, D: Driver> {
    stage: Stage<D>,
    kernels: Kernels<'d, D>,
}

/// Tables, and kernels that work on them.
struct Kernels<'d, D: Driver> {
    board: Board<'d, D>,
    goal: Goal,
    capacity: Capacity,
    /// Blocks of a part of the text.
    blocks: usize,
    unpack: Ready<D>,
    cut: Ready<D>,
    count_words: Ready<D>,
    count_new_words: Ready<D>,
    scan_words: Ready<D>,
    scan_bytes: Ready<D>,
    number_words: Ready<D>,
    add_totals: Ready<D>,
    count_in_words: Ready<D>,
    best_pair: Ready<D>,
    first_place: Ready<D>,
    first_pair: Ready<D>,
    merge_in_words: Ready<D>,
}

enum Outcome {
    Learned(Vec<(u32, u32)>),
    /// Which table, as the kernels number them.
    TooSmall(u32),
}

impl<'d, D: Driver> Trainer<'d, D> {
    fn new(driver: &'d D, goal: Goal, rule: usize, bytes: usize, capacity: Capacity) -> Result<Self, Failure> {
        let blocks = blocks(bytes);
        let stage = Stage::new(driver, blocks)?;
        let kernels = Kernels::new(driver, goal, rule, blocks, capacity)?;
        Ok(Self { stage, kernels })
    }
}

impl<'d, D: Driver> Kernels<'d, D> {
    fn new(driver: &'d D, goal: Goal, rule: usize, blocks: usize, capacity: Capacity) -> Result<Self, Failure> {
        let text_bytes = blocks * BLOCK;
        let mut board = Board::new(driver);
        // Classes of characters are the same for all vocabularies.
        board.table("classes", &Vocabulary::from_merges(&[]).table(Table::Classes))?;
        for name in ["text", "wall", "slot", "size"] {
            board.room(name, text_bytes)?;
        }
        let tiles = capacity.places / TILE;
        let rooms = [
            ("packed", text_bytes / 4),
            ("waiting", 2),
            ("table", 3 * capacity.slots),
            ("new_words", blocks),
            ("new_bytes", blocks),
            ("word_starts", blocks + 1),
            ("byte_starts", blocks + 1),
            ("totals", 2),
            ("word_grid", 6),
            ("word", 3 * capacity.words),
            ("word_slot", capacity.words),
            ("tokens", capacity.tokens),
            ("trouble", 1),
            ("hints", 2 * capacity.words),
            ("pairs", 2 * capacity.places),
            ("stale", 1 + 2 * tiles),
            ("tile_best", 2 * tiles),
            ("best", 2),
            ("turn", 1),
            ("merges", 2 * merges(goal).max(1)),
            ("won", merges(goal).max(1)),
            ("sizes", goal.size.max(256)),
            ("pair", 3),
        ];
        for (name, words) in rooms {
            board.room(name, words)?;
        }
        let ties = match goal.ties {
            Ties::Smallest => 0,
            Ties::First => 1,
            Ties::Greatest => 2,
        };
        let kernel = |name: &str, constants: &[(&str, usize)]| board.kernel(name, constants, &[]);
        let scan = |counts, starts| board.kernel("scan", &[("N", blocks)], &[("counts", counts), ("starts", starts)]);
        let (n, places) = (("N", text_bytes), ("PLACES", capacity.places));
        let lanes = driver.device().max_workgroup_invocations.min(LANES) as usize;
        let best = [("TILES", tiles), ("M", merges(goal)), ("RULE", ties), ("LANES", lanes)];
        let number = [n, ("WORD_ROOM", capacity.words), ("TOKEN_ROOM", capacity.tokens)];
        Ok(Self {
            unpack: kernel("unpack", &[n, ("WORDS", text_bytes / 4)])?,
            cut: kernel("cut", &[n, ("PATTERN", rule)])?,
            count_words: kernel("count_words", &[n, ("SLOTS", capacity.slots)])?,
            count_new_words: kernel("count_new_words", &[n])?,
            scan_words: scan("new_words", "word_starts")?,
            scan_bytes: scan("new_bytes", "byte_starts")?,
            number_words: kernel("number_words", &number)?,
            add_totals: kernel("add_totals", &[("BLOCKS", blocks)])?,
            count_in_words: kernel("count_in_words", &[places])?,
            best_pair: kernel("best_pair", &best)?,
            first_place: kernel("first_place", &[places])?,
            first_pair: kernel("first_pair", &[])?,
            merge_in_words: kernel("merge_in_words", &[places, ("HINTS", 1)])?,
            board,
            goal,
            capacity,
            blocks,
        })
    }

    fn train(
        &self,
        stage: &mut Stage<D>,
        texts: &[&str],
        on_progress: &mut dyn FnMut(TrainProgress),
    ) -> Result<Outcome, Failure> {
        let zeros = ["table", "totals", "waiting", "trouble", "pairs", "stale", "tile_best", "turn"];
        let mut empty = zeros.map(|name| self.board.fill(name, 0)).into_iter().collect::<Result<Vec<_>, _>>()?;
        empty.push(self.board.fill("sizes", 1)?);
        self.once(empty)?;
        self.count(stage, texts)?;
        let [words, _] = self.board.read("totals", 2)?[..] else { return Ok(Outcome::Learned(Vec::new())) };
        if let Some(trouble) = self.trouble()? {
            return Ok(Outcome::TooSmall(trouble));
        }
        let words = words as usize;
        if words == 0 || merges(self.goal) == 0 {
            return Ok(Outcome::Learned(Vec::new()));
        }
        self.once(vec![self.count_in_words.on(words.div_ceil(BLOCK))])?;
        if let Some(trouble) = self.trouble()? {
            return Ok(Outcome::TooSmall(trouble));
        }
        self.merge(words, on_progress)?;
        if let Some(trouble) = self.trouble()? {
            return Ok(Outcome::TooSmall(trouble));
        }
        let turns = self.board.read("turn", 1)?[0] as usize;
        let merges = if turns == 0 { Vec::new() } else { self.board.read("merges", 2 * turns)? };
        Ok(Outcome::Learned(merges.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()))
    }

    /// Counts the different words of all texts.
    fn count(&self, stage: &mut Stage<D>, texts: &[&str]) -> Result<(), Failure> {
        let Self { board, blocks, .. } = self;
        let commands = vec![
            self.unpack.on(*blocks),
            board.fill("wall", 0)?,
            self.cut.on((blocks * BLOCK).div_ceil(CUT)),
            self.count_words.on(*blocks),
            self.count_new_words.on(*blocks),
            self.scan_words.on(1),
            self.scan_bytes.on(1),
            self.number_words.on(*blocks),
            self.add_totals.on(1),
        ];
        let mut recorded = board.driver.record(commands, true)?;
        let mut done = 0;
        let parts: Vec<&str> = texts.iter().flat_map(|text| stage.parts(self.goal.pattern, text)).collect();
        for part in parts {
            if part.len() > stage.capacity {
                let message = format!(
                    "a device takes parts of {} bytes, and the text has {} bytes from byte {done} on in which no word surely ends",
                    stage.capacity,
                    part.len()
                );
                let hint =
                    "a space ends a word; or leave --backend out: the processor's cores take words of any length";
                return Err(Diagnostic::error(message).hint(hint).into());
            }
            stage.bring(board, part)?;
            board.driver.submit(&mut recorded)?;
            board.driver.finish(&mut recorded, &NullSink)?;
            if board.read("waiting", 2)?[1] != 0 {
                return Err(Diagnostic::error(format!(
                    "between byte {done} and byte {} the text has {REACH} bytes in which no word begins after a letter or a digit",
                    done + part.len()
                ))
                .hint("a device does not look further for the end of a word; leave --backend out: the processor's cores do")
                .into());
            }
            done += part.len();
        }
        Ok(())
    }

    /// Merges in all words, round by round, until there are enough merges or no pair is left. While rounds are carried
    /// out, the next ones are queued.
    fn merge(&self, words: usize, on_progress: &mut dyn FnMut(TrainProgress)) -> Result<(), Failure> {
        let wanted = merges(self.goal);
        let rounds = wanted.min(ROUNDS);
        let round = || {
            let mut commands = vec![self.best_pair.on(1)];
            if self.goal.ties == Ties::First {
                commands.extend([self.first_place.on(words.div_ceil(BLOCK)), self.first_pair.on(1)]);
            }
            commands.push(self.merge_in_words.on(words.div_ceil(WORDS)));
            commands
        };
        let driver = self.board.driver;
        let mut recorded = Vec::new();
        for _ in 0..2 {
            recorded.push(driver.record((0..rounds).flat_map(|_| round()).collect(), true)?);
        }
        let pieces = wanted.div_ceil(rounds);
        let mut queued = 0;
        for done in 1..=pieces {
            while queued < pieces.min(done + 1) {
                driver.submit(&mut recorded[queued % 2])?;
                queued += 1;
            }
            driver.finish(&mut recorded[(done - 1) % 2], &NullSink)?;
            on_progress(TrainProgress::Rounds(wanted.min(done * rounds)));
            let is_asked = done.is_power_of_two() || done % ASKED == 0;
            if is_asked && (self.trouble()?.is_some() || (self.board.read("best", 1)?[0] == 0)) {
                break;
            }
        }
        Ok(())
    }

    /// Which table is too small, if one is.
    fn trouble(&self) -> Result<Option<u32>, Failure> {
        Ok(self.board.read("trouble", 1)?.first().copied().filter(|trouble| *trouble != 0))
    }

    /// Has commands carried out, once.
    fn once(&self, commands: Vec<Command<'_, D>>) -> Result<(), Failure> {
        let mut recorded = self.board.driver.record(commands, false)?;
        self.board.driver.submit(&mut recorded)?;
        self.board.driver.finish(&mut recorded, &NullSink)?;
        Ok(())
    }
}

/// The merges to learn.
fn merges(goal: Goal) -> usize {
    goal.size.saturating_sub(256)
}
