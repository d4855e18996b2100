//! The stage of a note that plays, as a module for `wasm32-unknown-unknown`: a question as JSON, an answer as JSON.
//!
//! A page calls [`push`] with the question, four bytes at a time, then [`answer`], which returns the answer's length,
//! then [`word`] for each four bytes of the answer. The questions are those of [`warpbook::session::show::page`]. After
//! a panic, which ends the module, [`answer_of_panic`] has its message as the answer.
#![expect(unsafe_code, reason = "names that a page can call are exported by an attribute that counts as unsafe")]

use std::cell::RefCell;
use std::panic;

use warpbook::session::show::page::Page;

thread_local! {
    static PAGE: RefCell<Page> = RefCell::default();
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Takes the next `count` bytes of the question, the first in the lowest bits of `bytes`.
#[unsafe(no_mangle)]
pub extern "C" fn push(bytes: u32, count: usize) {
    QUESTION.with_borrow_mut(|question| question.extend(bytes.to_le_bytes().iter().take(count)));
}

/// Answers the question, and begins a new one; returns the bytes of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    panic::set_hook(Box::new(|why| ANSWER.set(why.to_string().into_bytes())));
    let question = QUESTION.take();
    let answer = PAGE.with_borrow_mut(|page| page.answer(&String::from_utf8_lossy(&question))).into_bytes();
    let length = answer.len();
    ANSWER.set(answer);
    length
}

/// The bytes of a panic's message.
#[unsafe(no_mangle)]
pub extern "C" fn answer_of_panic() -> usize {
    ANSWER.with_borrow(Vec::len)
}

/// Four bytes of the answer, the first in the lowest bits; 0 after its end.
#[unsafe(no_mangle)]
pub extern "C" fn word(at: usize) -> u32 {
    ANSWER.with_borrow(|answer| {
        let byte = |i: usize| answer.get(at + i).copied().unwrap_or_default();
        u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
    })
}
