//! The accesses to one word of memory that later ones may conflict with.
//!
//! Of plain accesses a word remembers the last writer and two readers: a writer differs from at least one of two.
//! Strong accesses, and readers beyond two that nothing orders, are in a list of their own, since few words have any.

use super::deed::{Conflict, Deed};

/// An access.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Mark {
    /// The thread's local index.
    pub lane: u16,
    pub deed: Deed,
    /// How often the warp has come to this access, up to 255.
    pub round: u8,
    /// Its place's number.
    pub site: u32,
    /// Its time in the block's [`super::order::Order`].
    pub time: u32,
    /// The value stored, or the operand of an atomic.
    pub value: u32,
}

/// An access of any thread of the launch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Far {
    pub block: u64,
    /// Whether it is strong within its workgroup alone.
    pub narrow: bool,
    pub mark: Mark,
}

/// An access as a [`Word`] keeps it.
pub(super) trait Access: Copy + Default {
    fn mark(&self) -> &Mark;
    /// Whether the same thread did both.
    fn is_of_thread(&self, other: &Self) -> bool;
    /// How the two conflict if nothing orders them.
    fn conflict(&self, other: &Self) -> Option<Conflict>;
}

impl Access for Mark {
    fn mark(&self) -> &Mark {
        self
    }

    fn is_of_thread(&self, other: &Self) -> bool {
        self.lane == other.lane
    }

    fn conflict(&self, other: &Self) -> Option<Conflict> {
        self.deed.conflict(other.deed)
    }
}

impl Access for Far {
    fn mark(&self) -> &Mark {
        &self.mark
    }

    fn is_of_thread(&self, other: &Self) -> bool {
        self.block == other.block && self.mark.lane == other.mark.lane
    }

    fn conflict(&self, other: &Self) -> Option<Conflict> {
        let [mine, theirs] = [self.mark.deed, other.mark.deed];
        match self.block != other.block && (self.narrow || other.narrow) {
            true => (mine.writes() || theirs.writes()).then_some(Conflict::Race),
            false => mine.conflict(theirs),
        }
    }
}

/// Accesses of one kind to a word that a [`List`] keeps: the last of two threads suffice to find one of another thread.
const KEPT: usize = 2;
/// The same of reads, which may be ordered with some writers and not with others.
const KEPT_READS: usize = 16;

/// The accesses to a word that it has no room for, oldest first.
struct List<A> {
    /// The memory and the word that they are of.
    of: (u32, u32),
    accesses: Vec<A>,
}

/// The lists of all words.
pub(super) struct Lists<A>(Vec<List<A>>);

impl<A> Default for Lists<A> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<A: Access> Lists<A> {
    /// Forgets all: numbers of lists that words still have are of none.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The list of a word, whose number it keeps in `list`; None if it has none.
    #[inline]
    fn find(&mut self, list: u32, of: (u32, u32)) -> Option<&mut Vec<A>> {
        if list == 0 {
            return None;
        }
        let list = self.0.get_mut(list as usize - 1).filter(|list| list.of == of)?;
        Some(&mut list.accesses)
    }

    fn find_or_add(&mut self, list: &mut u32, of: (u32, u32)) -> &mut Vec<A> {
        if self.find(*list, of).is_none() {
            self.0.push(List { of, accesses: Vec::new() });
            *list = u32::try_from(self.0.len()).unwrap_or(0);
        }
        let last = self.0.len() - 1;
        let list = (*list as usize).checked_sub(1).filter(|list| *list <= last).unwrap_or(last);
        &mut self.0[list].accesses
    }
}

/// The accesses to one word.
#[derive(Clone, Copy, Default)]
pub(super) struct Word<A> {
    writer: A,
    /// The same twice while there was only one.
    readers: [A; 2],
    /// The number of its list, from 1; 0 if it has none.
    list: u32,
}

/// An access that conflicts with the present one.
pub(super) struct Other<A> {
    pub access: A,
    pub conflict: Conflict,
}

impl<A: Access> Word<A> {
    /// A thread accesses the word, which is `of` some memory; gives an access that this conflicts with. `past` says
    /// what happened before, and of several the one with the greatest `reach` is given. `parted`: threads do not all
    /// know the same. `returns` says of an atomic whether its value is used.
    #[inline]
    pub fn touch(
        &mut self,
        by: A,
        (lists, of): (&mut Lists<A>, (u32, u32)),
        parted: bool,
        past: impl Fn(&A) -> bool,
        reach: impl Fn(&A) -> u8,
        returns: impl Fn(&A) -> bool,
    ) -> Option<Other<A>> {
        let deed = by.mark().deed;
        let conflict = |with: &A| {
            // Nearly always it is past.
            if past(with) || with.is_of_thread(&by) {
                return None;
            }
            let conflict = by.conflict(with)?;
            let same = conflict == Conflict::Word && is_same_store(with.mark(), by.mark());
            (!same).then_some(Other { access: *with, conflict })
        };
        let mut other = conflict(&self.writer);
        let better = |other: Option<Other<A>>, next: Other<A>| match other {
            Some(other) if rank(&other, &reach) >= rank(&next, &reach) => Some(other),
            _ => Some(next),
        };
        if deed.writes() {
            other = self.readers.iter().filter_map(conflict).fold(other, better);
        }
        if self.list != 0
            && let Some(list) = lists.find(self.list, of)
        {
            // What a thread's own atomic returned may have told it that the strong accesses before were the last: a counter is reset so.
            let last = |tells: &dyn Fn(&A) -> bool| list.iter().rposition(|a| a.is_of_thread(&by) && tells(a));
            let own = last(&|access| access.mark().deed.writes() && returns(access));
            let polled = last(&|access| access.mark().deed == Deed::Poll);
            let open = list.iter().enumerate().filter_map(|(at, access)| {
                let other = conflict(access)?;
                let (is_told, waited) = (own.is_some_and(|own| at < own), polled.is_some_and(|polled| at < polled));
                match other.conflict {
                    // The thread waited for what the other one stored, and stores after it.
                    Conflict::Word if waited => None,
                    Conflict::Race if deed.is_weak() && is_told => Some(Other { conflict: Conflict::Told, ..other }),
                    Conflict::Race => Some(other),
                    conflict => Some(Other { conflict: if is_told { Conflict::Told } else { conflict }, ..other }),
                }
            });
            other = open.fold(other, better);
        }
        if !deed.is_plain() {
            let list = lists.find_or_add(&mut self.list, of);
            keep(list, by, KEPT);
        } else if deed.writes() {
            self.writer = by;
        } else if let Some(left) = self.read(by, &past).filter(|_| parted) {
            keep(lists.find_or_add(&mut self.list, of), left, KEPT_READS);
        }
        other
    }

    /// Whether another thread's strong access, which nothing orders with the present one, changes the word.
    pub fn is_contended(&self, by: &A, (lists, of): (&mut Lists<A>, (u32, u32)), past: impl Fn(&A) -> bool) -> bool {
        let changes = |access: &A| access.mark().deed.writes() && !access.mark().deed.is_plain();
        let list = lists.find(self.list, of);
        list.is_some_and(|list| list.iter().any(|a| changes(a) && !a.is_of_thread(by) && !past(a)))
    }

    /// A thread reads; gives a reader that there is no room for and that nothing orders before this one.
    #[inline]
    fn read(&mut self, by: A, past: &impl Fn(&A) -> bool) -> Option<A> {
        let is_past = |reader: &A| past(reader) || reader.mark().deed == Deed::Nothing;
        let [first, second] = &mut self.readers;
        match (is_past(first), is_past(second)) {
            (true, true) => self.readers = [by; 2],
            (true, false) => *first = by,
            (false, true) => *second = by,
            // Of a thread, its last read.
            (false, false) if first.is_of_thread(&by) && second.is_of_thread(&by) => self.readers = [by; 2],
            (false, false) if first.is_of_thread(&by) => *first = by,
            (false, false) if second.is_of_thread(&by) => *second = by,
            (false, false) if first.is_of_thread(second) => *second = by,
            (false, false) => return Some(by),
        }
        None
    }
}

/// Whether both store one value, so that the word holds it in either order.
pub(super) fn is_same_store(a: &Mark, b: &Mark) -> bool {
    a.deed.is_store() && b.deed.is_store() && a.value == b.value
}

/// Races before the others, and those that reach further first.
fn rank<A: Access>(other: &Other<A>, reach: &impl Fn(&A) -> u8) -> (bool, u8) {
    (other.conflict == Conflict::Race, reach(&other.access))
}

/// Adds an access as the last of its kind, of which `most` are kept, one a thread.
fn keep<A: Access>(list: &mut Vec<A>, by: A, most: usize) {
    let deed = by.mark().deed;
    if let Some(at) = list.iter().position(|access| access.mark().deed == deed && access.is_of_thread(&by)) {
        list.remove(at);
    } else if list.iter().filter(|access| access.mark().deed == deed).count() >= most
        && let Some(at) = list.iter().position(|access| access.mark().deed == deed)
    {
        list.remove(at);
    }
    list.push(by);
}
