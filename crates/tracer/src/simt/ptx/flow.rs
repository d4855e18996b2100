//! The control flow of a kernel: basic blocks, dominators, loops, and the place of each block in a structured program.
//!
//! The structure follows N. Ramsey, "Beyond Relooper" (ICFP 2022): a block is nested in its immediate dominator, and one that several
//! blocks jump to ahead follows a scope that they leave. In addition a block that a loop is left to comes after the loop, so that the
//! lanes of a warp wait for each other there, as they do on a GPU.

use std::collections::HashMap;

use warpbook_base::diag::Diagnostic;

use super::at_line;
use super::module::{Instruction, Kernel, Operand, Part, RegId};

/// Places that an indexed branch may lead to.
const MAX_TARGETS: usize = 1 << 12;

/// Loops within each other, at most.
const MAX_LOOPS: usize = 64;

/// A basic block's number.
pub(super) type BlockId = usize;

/// How a block ends.
#[derive(Clone, Debug)]
pub(super) enum End {
    Jump(BlockId),
    /// To `then` where the predicate is `when`, else to `other`.
    Branch {
        pred: RegId,
        when: bool,
        then: BlockId,
        other: BlockId,
        line: u32,
    },
    /// To the block that an index numbers.
    Table {
        index: RegId,
        targets: Vec<BlockId>,
        line: u32,
    },
    Return,
}

/// A basic block.
#[derive(Debug)]
pub(super) struct Block<'a> {
    pub body: Vec<&'a Instruction>,
    pub end: End,
    /// Where it begins in the PTX.
    pub at: u32,
}

/// The blocks that can be reached, in reverse postorder: the entry is block 0, and edges ahead go to higher numbers.
#[derive(Debug)]
pub(super) struct Flow<'a> {
    pub blocks: Vec<Block<'a>>,
    /// By block, its immediate dominator; the entry's is itself.
    pub dominator: Vec<BlockId>,
    /// By block, the header of the innermost loop that it is in.
    pub inner: Vec<Option<BlockId>>,
    /// By header, the header of the loop around its own.
    pub outer: Vec<Option<BlockId>>,
    /// By block, those that come after it or after its loop, in order, each after a scope.
    pub followers: Vec<Vec<BlockId>>,
    /// By block, whether it follows a scope, which a jump to it leaves.
    pub follows: Vec<bool>,
    /// By block, whether it is the header of a loop.
    pub is_header: Vec<bool>,
}

/// Splits the body of `kernel` into blocks and finds their structure.
///
/// # Errors
/// A branch to an unknown label; jumps that enter a loop in two places.
pub(super) fn flow<'a>(file: &str, kernel: &'a Kernel) -> Result<Flow<'a>, Diagnostic> {
    let blocks = split(file, kernel)?;
    let blocks = in_order(blocks);
    let before = predecessors(&blocks);
    let dominator = dominators(&blocks, &before);
    let mut flow = Flow {
        inner: vec![None; blocks.len()],
        outer: vec![None; blocks.len()],
        followers: vec![Vec::new(); blocks.len()],
        follows: vec![false; blocks.len()],
        is_header: vec![false; blocks.len()],
        blocks,
        dominator,
    };
    flow.loops(file, &before)?;
    flow.place(&before);
    Ok(flow)
}

impl End {
    /// The blocks that may come next.
    pub(super) fn targets(&self) -> Vec<BlockId> {
        match self {
            Self::Jump(to) => vec![*to],
            Self::Branch { then, other, .. } => vec![*then, *other],
            Self::Table { targets, .. } => targets.clone(),
            Self::Return => Vec::new(),
        }
    }

    fn renumber(&mut self, new: &[Option<BlockId>]) {
        let of = |block: &mut BlockId| *block = new[*block].unwrap_or(0);
        match self {
            Self::Jump(to) => of(to),
            Self::Branch { then, other, .. } => [then, other].into_iter().for_each(of),
            Self::Table { targets, .. } => targets.iter_mut().for_each(of),
            Self::Return => {}
        }
    }
}

fn split<'a>(file: &str, kernel: &'a Kernel) -> Result<Vec<Block<'a>>, Diagnostic> {
    // The block that begins at each label; a new one begins after each branch, too.
    let ends = |part: &Part| match part {
        Part::Instruction(i) => matches!(i.words[0].as_str(), "bra" | "brx" | "ret" | "exit"),
        Part::Label(_) => false,
    };
    let (mut labels, mut count, mut open) = (HashMap::new(), 0, false);
    for part in &kernel.body {
        match part {
            Part::Label(name) => {
                if open {
                    count += 1;
                    open = false;
                }
                labels.insert(name.as_str(), count);
            }
            part => {
                open = true;
                if ends(part) {
                    count += 1;
                    open = false;
                }
            }
        }
    }
    let target = |name: &str, at: u32| {
        labels
            .get(name)
            .copied()
            .ok_or_else(|| at_line(Diagnostic::error(format!("there is no label `{name}` to branch to")), file, at))
    };
    let mut blocks: Vec<Block<'a>> = Vec::new();
    let mut body: Vec<&Instruction> = Vec::new();
    let mut at = kernel.at;
    let close = |body: &mut Vec<&'a Instruction>, end: End, at: u32, blocks: &mut Vec<Block<'a>>| {
        blocks.push(Block { body: std::mem::take(body), end, at });
    };
    for part in &kernel.body {
        let next = blocks.len() + 1;
        match part {
            Part::Label(_) if !body.is_empty() => close(&mut body, End::Jump(next), at, &mut blocks),
            Part::Label(_) => {}
            Part::Instruction(i) => {
                if body.is_empty() {
                    at = i.at;
                }
                let guarded = |then: BlockId| match i.guard {
                    Some((pred, when)) => End::Branch { pred, when, then, other: next, line: i.line },
                    None => End::Jump(then),
                };
                match (i.words[0].as_str(), i.operands.as_slice()) {
                    ("bra", [Operand::Name(name)]) => {
                        let end = guarded(target(name, i.at)?);
                        close(&mut body, end, at, &mut blocks);
                    }
                    ("brx", [Operand::Reg(index), Operand::Name(list)]) if i.guard.is_none() => {
                        let (_, names) = kernel.targets.iter().find(|(name, _)| name == list).ok_or_else(|| {
                            at_line(Diagnostic::error(format!("there is no list `{list}`")), file, i.at)
                        })?;
                        if names.len() > MAX_TARGETS {
                            let message =
                                format!("a table of {} places to branch to is too large to trace", names.len());
                            return Err(at_line(Diagnostic::error(message), file, i.at));
                        }
                        let targets = names.iter().map(|name| target(name, i.at)).collect::<Result<_, _>>()?;
                        close(&mut body, End::Table { index: *index, targets, line: i.line }, at, &mut blocks);
                    }
                    ("ret" | "exit", []) => {
                        // The last block but one is the way out that a guarded return takes; it is added below.
                        let end = match i.guard {
                            Some(_) => guarded(usize::MAX),
                            None => End::Return,
                        };
                        close(&mut body, end, at, &mut blocks);
                    }
                    ("bra" | "brx" | "ret" | "exit", _) => {
                        let message = format!("`{}` cannot be traced in this form", i.words.join("."));
                        return Err(at_line(Diagnostic::error(message), file, i.at));
                    }
                    _ => body.push(i),
                }
            }
        }
    }
    let out = blocks.len() + 1;
    close(&mut body, End::Return, at, &mut blocks);
    close(&mut body, End::Return, at, &mut blocks);
    for block in &mut blocks {
        if let End::Branch { then, .. } = &mut block.end
            && *then == usize::MAX
        {
            *then = out;
        }
        for target in block.end.targets() {
            if target > out {
                block.end = End::Return;
            }
        }
    }
    Ok(blocks)
}

/// The blocks that can be reached, in reverse postorder.
fn in_order(blocks: Vec<Block<'_>>) -> Vec<Block<'_>> {
    let mut seen = vec![false; blocks.len()];
    let mut post = Vec::new();
    // A block and how many of its targets were visited.
    let mut stack = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, done)) = stack.last_mut() {
        // The last target first, so that a branch's other side, which follows it in the text, gets the lower number.
        let targets = blocks[*block].end.targets();
        match targets.get(*done) {
            Some(target) => {
                *done += 1;
                if !std::mem::replace(&mut seen[*target], true) {
                    stack.push((*target, 0));
                }
            }
            None => {
                post.push(*block);
                stack.pop();
            }
        }
    }
    let mut new = vec![None; blocks.len()];
    for (i, block) in post.iter().rev().enumerate() {
        new[*block] = Some(i);
    }
    let mut out: Vec<(BlockId, Block<'_>)> =
        blocks.into_iter().enumerate().filter_map(|(i, block)| Some((new[i]?, block))).collect();
    out.sort_by_key(|(i, _)| *i);
    out.into_iter()
        .map(|(_, mut block)| {
            block.end.renumber(&new);
            block
        })
        .collect()
}

fn predecessors(blocks: &[Block<'_>]) -> Vec<Vec<BlockId>> {
    let mut before = vec![Vec::new(); blocks.len()];
    for (i, block) in blocks.iter().enumerate() {
        for target in block.end.targets() {
            if !before[target].contains(&i) {
                before[target].push(i);
            }
        }
    }
    before
}

/// Immediate dominators, by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
fn dominators(blocks: &[Block<'_>], before: &[Vec<BlockId>]) -> Vec<BlockId> {
    let mut of: Vec<Option<BlockId>> = vec![None; blocks.len()];
    of[0] = Some(0);
    let common = |of: &[Option<BlockId>], mut a: BlockId, mut b: BlockId| {
        while a != b {
            if a > b {
                a = of[a].unwrap_or(0);
            } else {
                b = of[b].unwrap_or(0);
            }
        }
        a
    };
    loop {
        let mut changed = false;
        for block in 1..blocks.len() {
            let known = before[block].iter().copied().filter(|p| of[*p].is_some());
            let new = known.reduce(|a, b| common(&of, a, b));
            if of[block] != new {
                of[block] = new;
                changed = true;
            }
        }
        if !changed {
            return of.into_iter().map(|d| d.unwrap_or(0)).collect();
        }
    }
}

impl Flow<'_> {
    /// Whether every way to `b` leads through `a`.
    pub(super) fn dominates(&self, a: BlockId, mut b: BlockId) -> bool {
        while b > a {
            b = self.dominator[b];
        }
        a == b
    }

    /// The headers of the loops that `block` is in, from the inside out.
    pub(super) fn loops_of(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        std::iter::successors(self.inner[block], |header| self.outer[*header])
    }

    fn loops(&mut self, file: &str, before: &[Vec<BlockId>]) -> Result<(), Diagnostic> {
        // By header, how many loops lie within each other in its own.
        let mut height = vec![1_usize; self.blocks.len()];
        // Inner loops have headers with higher numbers than those around them.
        for header in (0..self.blocks.len()).rev() {
            let back: Vec<BlockId> = before[header].iter().copied().filter(|p| *p >= header).collect();
            if back.is_empty() {
                continue;
            }
            if let Some(enters) = back.iter().find(|p| !self.dominates(header, **p)) {
                let error = Diagnostic::error("a loop that is entered in two places cannot be traced");
                return Err(at_line(error, file, self.blocks[*enters].at)
                    .hint("goto into a loop makes such code; write the loop with for or while"));
            }
            self.is_header[header] = true;
            let mut todo = back;
            while let Some(block) = todo.pop() {
                // The outermost loop around it so far is inside of this one.
                let outermost = self.loops_of(block).last();
                match outermost {
                    Some(inner) if inner == header => {}
                    Some(inner) => {
                        self.outer[inner] = Some(header);
                        height[header] = height[header].max(height[inner] + 1);
                        todo.extend(before[inner].iter().copied().filter(|p| *p < inner));
                    }
                    None => {
                        self.inner[block] = Some(header);
                        if block != header {
                            todo.extend(before[block].iter().copied());
                        }
                    }
                }
            }
            if height[header] > MAX_LOOPS {
                let error = Diagnostic::error("loops are nested too deeply to be traced");
                return Err(at_line(error, file, self.blocks[header].at));
            }
            // A header's own loop is its innermost one.
            if self.inner[header] != Some(header) {
                self.inner[header] = Some(header);
            }
        }
        Ok(())
    }

    /// Finds which blocks follow which.
    fn place(&mut self, before: &[Vec<BlockId>]) {
        for (block, before) in before.iter().enumerate().skip(1) {
            let dominator = self.dominator[block];
            // The outermost loop that its dominator is in and it is not.
            let left = self.loops_of(dominator).filter(|header| self.loops_of(block).all(|h| h != *header)).last();
            let merges = before.iter().filter(|p| **p < block).count() > 1;
            let after = match left {
                Some(header) => header,
                None if merges || self.is_table(dominator) => dominator,
                None => continue,
            };
            self.followers[after].push(block);
            self.follows[block] = true;
        }
    }

    fn is_table(&self, block: BlockId) -> bool {
        matches!(self.blocks[block].end, End::Table { .. })
    }
}
