//! Encoding a text on a device, part by part. Words too long for the kernels are encoded on the processor's cores.

use super::board::{Board, CUT, REACH, rule};
use super::on_device;
use super::stage::{Stage, blocks, copy, host};
use crate::base::diag::Diagnostic;
use crate::gpu::backend::{Failure, NullSink};
use crate::gpu::driver::{Driver, Part, Work};
use crate::tokenizer::tables::Table;
use crate::tokenizer::{Pattern, Vocabulary, encode};
use crate::trace::record::Backend;

/// The longest word that the kernels encode, in bytes.
const LONGEST: usize = 1024;

/// No token.
const NOTHING: u32 = u32::MAX;

/// A device that encodes.
pub trait Encode {
    /// The ids of a text, in parts that follow each other.
    fn encode(&mut self, text: &str) -> Result<Vec<Vec<u32>>, Diagnostic>;

    /// The work left to the processor's cores so far, and why; None if the device encoded all.
    fn remark(&self) -> Option<String>;
}

/// Opens a device, brings a vocabulary there, and calls `work` with it. Memory is taken for texts of up to `most`
/// bytes; longer ones go there in parts.
///
/// # Errors
/// When there is no such device, the pattern cuts nothing, the device fails, or `work` does.
pub fn encoding_on<T>(
    backend: Backend,
    vocabulary: &Vocabulary,
    pattern: Pattern,
    most: usize,
    work: impl FnOnce(&mut dyn Encode) -> Result<T, Diagnostic>,
) -> Result<T, Diagnostic> {
    let rule = rule(pattern, "encodes")?;
    on_device(backend, Encoding { text: Text { vocabulary, pattern }, rule, most, work })
}

/// How a text is to be encoded.
#[derive(Clone, Copy)]
struct Text<'v> {
    vocabulary: &'v Vocabulary,
    pattern: Pattern,
}

/// The work that a device is opened for.
struct Encoding<'v, F> {
    text: Text<'v>,
    /// The pattern's number.
    rule: usize,
    most: usize,
    work: F,
}

impl<T, F: FnOnce(&mut dyn Encode) -> Result<T, Diagnostic>> Work for Encoding<'_, F> {
    type Output = T;

    /// Readies a device, and calls what is to be done with it.
    fn with<D: Driver>(self, driver: &D) -> Result<T, Failure> {
        let Self { text, rule, most, work } = self;
        let blocks = blocks(most);
        let mut stage = Stage::new(driver, blocks)?;
        let capacity = stage.capacity;
        let mut board = Board::new(driver);
        let tables = [
            ("classes", Table::Classes),
            ("of_byte", Table::Bytes),
            ("whole", Table::Whole),
            ("spelling", Table::Spelling),
            ("merges", Table::Merges),
        ];
        for (name, table) in tables {
            board.table(name, &text.vocabulary.table(table))?;
        }
        for name in ["text", "wall", "words", "ids", "encoded"] {
            board.room(name, capacity)?;
        }
        board.room("packed", capacity / 4)?;
        board.room("waiting", 2)?;
        board.room("kept", blocks)?;
        board.room("starts", blocks + 1)?;
        board.room("offset", capacity + 1)?;
        board.room("length", 1)?;
        let places = |name| board.part(name).map(|part| part.bytes as usize / 16);
        let (whole, merges) = (places("whole")?, places("merges")?);
        let bytes = ("N", capacity);
        let unpack = board.kernel("unpack", &[bytes, ("WORDS", capacity / 4)], &[])?;
        let cut = board.kernel("cut", &[bytes, ("PATTERN", rule)], &[])?;
        let find = board.kernel("find_words", &[bytes, ("PLACES", whole), ("LOOK", 1)], &[])?;
        let merge = board.kernel("merge_by_group", &[bytes, ("MERGE_PLACES", merges), ("LANES", 32)], &[])?;
        let count = board.kernel("count_ids", &[bytes], &[])?;
        let scan = board.kernel("scan", &[("N", blocks)], &[("counts", "kept")])?;
        let gather = board.kernel("gather_ids", &[bytes, ("BLOCKS", blocks)], &[])?;
        let commands = vec![
            unpack.on(blocks),
            board.fill("wall", 0)?,
            board.fill("waiting", 0)?,
            board.fill("ids", NOTHING)?,
            cut.on(capacity.div_ceil(CUT)),
            find.on(blocks),
            merge.on(blocks),
            count.on(blocks),
            scan.on(1),
            gather.on(blocks),
        ];
        let recorded = driver.record(commands, true)?;
        let ids = host(driver, capacity)?;
        let mut encoder = OnDevice { board: &board, text, stage: &mut stage, recorded, ids, on_cores: 0 };
        Ok(work(&mut encoder)?)
    }
}

/// A device that is ready.
struct OnDevice<'a, 'd, D: Driver + 'a> {
    board: &'a Board<'d, D>,
    text: Text<'a>,
    stage: &'a mut Stage<D>,
    recorded: D::Recorded<'a>,
    /// The ids of a part, on their way back.
    ids: D::Host,
    /// Bytes that were encoded on the processor's cores.
    on_cores: usize,
}

impl<D: Driver> Encode for OnDevice<'_, '_, D> {
    fn encode(&mut self, text: &str) -> Result<Vec<Vec<u32>>, Diagnostic> {
        let parts = self.stage.parts(self.text.pattern, text);
        parts.into_iter().map(|part| self.part(part).map_err(|failure| failure.diagnostic)).collect()
    }

    fn remark(&self) -> Option<String> {
        (self.on_cores > 0).then(|| {
            format!(
                "{} bytes were encoded on the processor's cores, in parts that have a word of more than {LONGEST} bytes, or {REACH} bytes in which no word begins after a letter or a digit",
                self.on_cores
            )
        })
    }
}

impl<D: Driver> OnDevice<'_, '_, D> {
    fn part(&mut self, text: &str) -> Result<Vec<u32>, Failure> {
        if text.len() <= self.stage.capacity {
            self.stage.bring(self.board, text)?;
            self.board.driver.submit(&mut self.recorded)?;
            self.board.driver.finish(&mut self.recorded, &NullSink)?;
            let is_too_long = self.board.read("waiting", 2)?[1] != 0;
            if !is_too_long {
                let length = self.board.read("length", 1)?[0];
                return self.encoded(length as usize);
            }
        }
        self.on_cores += text.len();
        Ok(encode::encode(self.text.vocabulary, self.text.pattern, text))
    }

    /// The first `length` ids.
    fn encoded(&mut self, length: usize) -> Result<Vec<u32>, Failure> {
        let arrived = &mut self.ids.as_mut()[..length];
        if length > 0 {
            let from = Part { bytes: 4 * length as u64, ..self.board.part("encoded")? };
            self.board.driver.read_into(from, arrived, &NullSink)?;
        }
        let mut ids = vec![0; length];
        copy(&mut ids, arrived);
        Ok(ids)
    }
}
