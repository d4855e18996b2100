//! One rank's share of a program that processes run together.

use super::evaluate::Place;
use super::{Builder, Params, Purpose, build};
use crate::base::diag::Diagnostic;
use crate::base::expr::Expr;
use crate::base::tensor::{Elem, Init};
use crate::job::{AwaitSpec, BufferSpec, CollectiveSpec, Content, Job, Share};
use crate::lesson::{AwaitDecl, CollectiveDecl, Lesson, Split, Variant};

/// How many ranks a program has; None if it is not made for several processes.
pub fn ranks(lesson: &Lesson, variant: &Variant, params: &Params) -> Result<Option<usize>, Vec<Diagnostic>> {
    let builder = Builder::new(lesson, variant, params)?;
    let Some(split) = &builder.program.split else { return Ok(None) };
    let number = builder.values.whole(&split.number, of(split, builder.program.id.as_str()), "the number of ranks")?;
    Ok(usize::try_from(number).ok())
}

/// The share of a rank in a job of the whole program; None if the program is not made for several processes.
///
/// # Errors
/// As [`build`], and when a buffer or a part of one cannot be shared evenly.
pub fn share(
    lesson: &Lesson,
    variant: &Variant,
    params: &Params,
    purpose: &Purpose,
    rank: usize,
    mut whole: Job,
) -> Result<Option<Share>, Vec<Diagnostic>> {
    let Some(ranks) = ranks(lesson, variant, params)? else { return Ok(None) };
    let builder = Builder::new(lesson, variant, params)?;
    let Some(split) = &builder.program.split else { return Ok(None) };
    let alone = with_values(lesson, &[(&split.here, 1), (&split.first, rank)]);
    let quiet = Purpose { check: false, ..purpose.clone() };
    let mut part = build(&alone, variant, params, &quiet)?;
    for (of_all, of_one) in whole.buffers.iter().zip(&mut part.buffers) {
        if of_all.count != of_one.count && of_all.count != of_one.count * ranks as u64 {
            let message = format!(
                "`{}` has {} elements, and {} of them on rank {rank} of {ranks}: a rank has an equal part, or all",
                of_all.name, of_all.count, of_one.count
            );
            return Err(vec![of(split, &of_all.name).error(message)]);
        }
        // Contents that differ between ranks are filled in at run time.
        let is_same = of_one.count == of_all.count || of_all.is_uniform();
        of_one.content = if is_same { of_all.content.clone() } else { Content::Made(Init::Zero) };
    }
    let repeats = builder.program.repeats().into_iter();
    let collectives = repeats.filter_map(|repeat| Some((&repeat.id, repeat.collective.as_ref()?)));
    let collectives = collectives.map(|(id, declared)| builder.collective(id, declared, &part, ranks));
    let collectives = collectives.collect::<Result<Vec<_>, _>>()?;
    let passes = builder.program.passes().into_iter().enumerate();
    let awaited = passes.flat_map(|(i, pass)| pass.awaits.iter().map(move |declared| (i, &pass.id, declared)));
    let awaits = awaited.map(|(i, id, declared)| builder.awaited((i, id), declared, &collectives));
    let awaits = awaits.collect::<Result<Vec<_>, _>>()?;
    if rank > 0 {
        // Rank 0 writes the files, and prints.
        whole.looks.iter_mut().for_each(|look| (look.file, look.count) = (None, 1));
    }
    Ok(Some(Share { rank, ranks, whole, part, collectives, awaits }))
}

/// The buffers of a rank's part of a program, as [`super::buffers`].
#[must_use]
pub fn buffers(lesson: &Lesson, variant: &Variant, params: &Params, rank: usize) -> Option<Vec<BufferSpec>> {
    let split = lesson.program(&variant.program)?.split.as_ref()?;
    super::buffers(&with_values(lesson, &[(&split.here, 1), (&split.first, rank)]), variant, params)
}

fn of<'a>(split: &'a Split, owner: &'a str) -> Place<'a> {
    Place { owner, place: &split.place }
}

/// A lesson with other expressions for some of its values.
fn with_values(lesson: &Lesson, values: &[(&str, usize)]) -> Lesson {
    let mut lesson = lesson.clone();
    for (id, number) in values {
        let value = lesson.values.iter_mut().find(|value| value.id == *id);
        if let (Some(value), Ok(expr)) = (value, Expr::parse(&number.to_string())) {
            value.expr = expr;
        }
    }
    lesson
}

impl Builder<'_> {
    fn collective(
        &self,
        repeat: &str,
        declared: &CollectiveDecl,
        part: &Job,
        ranks: usize,
    ) -> Result<CollectiveSpec, Vec<Diagnostic>> {
        let at = Place { owner: repeat, place: &declared.place };
        let buffer = self.named(&declared.buffer, at)?;
        let spec = &part.buffers[buffer];
        let one_of = match &declared.part {
            None => None,
            Some(one_of) => {
                Some((self.named(&one_of.number, at)?, self.values.at_least(1, &one_of.of, at, "the number of parts")?))
            }
        };
        let chunks = one_of.map_or(1, |(_, of)| of).saturating_mul(ranks as u64);
        if !matches!(spec.elem, Elem::F16 | Elem::F32) || !spec.count.is_multiple_of(chunks) {
            let message = format!(
                "ranks exchange equal chunks of F16 or F32, and `{}` has {} {:?} for {chunks} chunks",
                spec.name, spec.count, spec.elem
            );
            return Err(vec![at.error(message)]);
        }
        let meter = declared.meter.as_ref().map(|meter| self.named(meter, at)).transpose()?;
        if let Some(meter) = meter.map(|meter| &part.buffers[meter])
            && (meter.elem, meter.count) != (Elem::U32, ranks as u64)
        {
            let message = format!(
                "a meter is a buffer of U32 with a word for each rank, and `{}` has {} {:?} on one of {ranks}",
                meter.name, meter.count, meter.elem
            );
            return Err(vec![at.error(message)]);
        }
        Ok(CollectiveSpec { repeat: repeat.to_owned(), what: declared.what, buffer, part: one_of, meter })
    }

    fn awaited(
        &self,
        (pass, id): (usize, &str),
        declared: &AwaitDecl,
        collectives: &[CollectiveSpec],
    ) -> Result<AwaitSpec, Vec<Diagnostic>> {
        let at = Place { owner: id, place: &declared.place };
        let repeat = &declared.repeat;
        let collective = collectives.iter().position(|spec| spec.repeat == *repeat).ok_or_else(|| {
            vec![at.error(format!("`{id}` waits for `{repeat}`, which is no repetition with a `collective`"))]
        })?;
        let number = declared.number.as_ref().map(|number| self.named(number, at)).transpose()?;
        if number.is_some() && collectives[collective].part.is_none() {
            return Err(vec![at.error(format!("`{id}` waits for a part of `{repeat}`, which has none"))]);
        }
        Ok(AwaitSpec { pass, collective, number })
    }
}
