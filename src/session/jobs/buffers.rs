//! A job's buffers: sizes, initial contents, and the outputs that are read back from them.

use super::Builder;
use super::evaluate::Place;
use crate::base::diag::Diagnostic;
use crate::base::expr::Expr;
use crate::base::tensor::{Elem, Init};
use crate::job::{BufferSpec, Condition, Content, Reading, SeriesSpec};
use crate::lesson::{Buffer, InitDecl, ReadingDecl, SeriesDecl, Until};

impl Builder<'_> {
    pub(super) fn buffer_spec(&self, declared: &Buffer) -> Result<BufferSpec, Vec<Diagnostic>> {
        let Buffer { name, elem, count, columns, init, place, .. } = declared;
        let at = Place { owner: name, place };
        if let InitDecl::Plain(Init::Value(value)) = init {
            self.fits(declared, *value, at)?;
        }
        let columns = columns.as_ref().map(|columns| self.values.whole(columns, at, "the columns"));
        Ok(BufferSpec {
            name: name.clone(),
            elem: *elem,
            count: self.values.whole(count, at, "the size")?,
            content: self.content(init, *elem, at)?,
            columns: columns.transpose()?,
            blame: self.blamed(&mut std::iter::once(count)),
            place: Some(place.clone()),
        })
    }

    /// Whether a buffer's elements can be this number.
    pub(super) fn fits(&self, buffer: &Buffer, value: f64, at: Place<'_>) -> Result<(), Vec<Diagnostic>> {
        if buffer.elem.holds(value) {
            return Ok(());
        }
        let message = format!("`{}` is of {:?}, which has no {value}", buffer.name, buffer.elem);
        Err(vec![at.error(message).hint("give it a number that it can hold")])
    }

    fn content(&self, init: &InitDecl, elem: Elem, at: Place<'_>) -> Result<Content, Vec<Diagnostic>> {
        let number = |expr: &Expr, what: &str| self.values.number(expr, at, what);
        Ok(Content::Made(match init {
            InitDecl::Plain(init) => *init,
            InitDecl::Within { low, high, masked } => {
                let masked = masked.as_ref().map_or(Ok(0.0), |share| number(share, "the masked share"))?;
                let [low, high] = [number(low, "the least element")?, number(high, "the bound")?];
                if low > high || !elem.holds(low) || !elem.holds(high - if elem.is_whole() { 1.0 } else { 0.0 }) {
                    let message = format!("a buffer of {elem:?} has no elements from {low} to below {high}");
                    return Err(vec![
                        at.error(message).hint("give bounds that its type can hold, the lower one first"),
                    ]);
                }
                Init::Within { low, high, masked }
            }
            InitDecl::Normal { mean, deviation } => {
                Init::Normal { mean: number(mean, "the mean")?, deviation: number(deviation, "the deviation")? }
            }
            InitDecl::Zipf { exponent, values } => {
                let values = self.values.whole(values, at, "the number of values")?;
                Init::Zipf { exponent: number(exponent, "the exponent")?, values }
            }
            InitDecl::Softmax { columns } => {
                if elem.is_whole() {
                    let message = format!("a buffer of {elem:?} cannot hold a softmax: its elements are below 1");
                    return Err(vec![at.error(message).hint("write elem: F32, F16 or Bf16")]);
                }
                Init::Softmax { columns: self.values.whole(columns, at, "the columns")? }
            }
            InitDecl::Bytes(source) => return Ok(Content::Bytes(source.clone())),
            InitDecl::Elements(source) => return Ok(Content::Elements(source.clone())),
            InitDecl::Vocabulary(name, table) => return Ok(Content::Vocabulary(name.clone(), *table)),
        }))
    }

    /// The index of an element that a buffer has.
    fn index(&self, expr: &Expr, buffer: usize, at: Place<'_>) -> Result<u64, Vec<Diagnostic>> {
        let index = self.values.at_least(0, expr, at, "the index")?;
        let spec = self.buffer_spec(&self.program.buffers[buffer])?;
        if index < spec.count {
            return Ok(index);
        }
        let message = format!("`{}` of `{}` has {} elements, and no element {index}", spec.name, at.owner, spec.count);
        Err(vec![at.error(message).hint("indices begin with 0")])
    }

    pub(super) fn until(&self, until: &Until, owner: &str) -> Result<Condition, Vec<Diagnostic>> {
        let at = Place { owner, place: &until.place };
        let buffer = self.named(&until.buffer, at)?;
        let index = self.index(&until.index, buffer, at)?;
        let value = self.values.number(&until.value, at, "the condition's number")?;
        Ok(Condition { buffer, index, comparison: until.comparison, value })
    }

    pub(super) fn series(&self, series: &SeriesDecl) -> Result<SeriesSpec, Vec<Diagnostic>> {
        let at = Place { owner: &series.id, place: &series.place };
        let buffer = self.named(&series.buffer, at)?;
        let reading = match &series.reading {
            ReadingDecl::Element(index) => Reading::Element(self.index(index, buffer, at)?),
            ReadingDecl::All(reduction) => Reading::All(*reduction),
        };
        Ok(SeriesSpec { id: series.id.clone(), buffer, reading, each: series.each.clone() })
    }
}
