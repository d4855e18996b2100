//! The element of a buffer that a question is about.

use warpbook_base::diag::{Diagnostic, nearest};

/// A buffer that can be asked about.
pub struct Asked<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether something writes to it.
    pub written: bool,
    /// Elements in it.
    pub elements: u64,
    /// Bytes of an element.
    pub bytes: u64,
}

/// That there is no buffer of this name.
pub fn no_buffer<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Diagnostic {
    let hint = match nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the buffers are: {}", known.collect::<Vec<_>>().join(", ")),
    };
    Diagnostic::error(format!("there is no buffer `{name}`")).hint(hint)
}

/// The place in `buffers` of the one called `name`, which something writes to and which has an element `index`.
///
/// # Errors
/// Where there is no such buffer, nothing writes to it, or the index is past its end.
pub fn written_element(buffers: &[Asked<'_>], name: &str, index: u64) -> Result<usize, Diagnostic> {
    let written: Vec<&str> = buffers.iter().filter(|buffer| buffer.written).map(|buffer| buffer.name).collect();
    let there_are = match written.as_slice() {
        [] => "no buffer is written to".to_owned(),
        names => format!("these are written to: {}", names.join(", ")),
    };
    let Some(place) = buffers.iter().position(|buffer| buffer.name == name) else {
        let problem = no_buffer(name, written.iter().copied());
        return Err(if nearest(name, written.iter().copied()).is_some() { problem } else { problem.hint(there_are) });
    };
    let Asked { elements, bytes, .. } = buffers[place];
    if !buffers[place].written {
        let message = format!("nothing writes to the buffer `{name}`: it is only read");
        return Err(Diagnostic::error(message).hint(there_are));
    }
    if index >= elements {
        let hint = format!("it has {elements} elements of {} bits: 0 to {}", bytes * 8, elements.saturating_sub(1));
        return Err(Diagnostic::error(format!("`{name}` has no element {index}")).hint(hint));
    }
    Ok(place)
}
