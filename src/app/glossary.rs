//! Meanings of a kernel's words, shown under the pointer.

/// The words of WGSL that lessons use, each with what it means for a GPU.
const WORDS: [(&str, &str); 46] = [
    ("@compute", "A compute shader: a program for many lanes, without a picture to draw."),
    ("@workgroup_size", "How many lanes a workgroup has. CUDA calls the workgroup a block, and the lanes threads."),
    ("@group", "The group of a binding: with `@binding`, it says which buffer this variable is."),
    ("@binding", "The place of a binding within its group: it says which buffer this variable is."),
    ("@builtin", "A value that the GPU gives each lane: its number, or that of its workgroup."),
    ("@id", "The number by which an `override` is set from outside."),
    (
        "global_invocation_id",
        "The lane's number in the whole grid, in x, y and z. CUDA: blockIdx * blockDim + threadIdx.",
    ),
    ("local_invocation_id", "The lane's number within its workgroup, in x, y and z. CUDA: threadIdx."),
    ("local_invocation_index", "The lane's number within its workgroup, counted in one row."),
    ("workgroup_id", "Which workgroup this is, in x, y and z. CUDA: blockIdx."),
    ("num_workgroups", "How many workgroups the grid has, in x, y and z. CUDA: gridDim."),
    ("subgroup_invocation_id", "The lane's number within its subgroup. CUDA: the lane of its warp."),
    ("subgroup_size", "How many lanes a subgroup has. CUDA's warps have 32."),
    ("subgroup_id", "Which subgroup of its workgroup this is. CUDA: the number of the warp."),
    ("num_subgroups", "How many subgroups a workgroup has."),
    ("storage", "A buffer in global memory (DRAM behind the caches): all lanes of the grid see it."),
    ("uniform", "A small buffer that is only read, the same for all lanes."),
    ("workgroup", "Memory on the chip that the lanes of one workgroup share. CUDA calls it shared memory."),
    ("function", "Memory of one lane: a register, where it fits."),
    ("private", "Memory of one lane: a register, where it fits."),
    ("read", "The kernel reads this buffer and never writes it."),
    ("read_write", "The kernel may read and write this buffer."),
    ("override", "A constant that is set when the kernel is compiled: here from the settings above."),
    ("const", "A constant, known when the kernel is compiled."),
    (
        "var",
        "A variable. `var<workgroup>` lies in the workgroup's memory, `var<storage>` in a buffer; else it is the lane's own.",
    ),
    ("let", "A name for a value that does not change. It lies in a register."),
    ("fn", "A function. `main` runs once for each lane."),
    ("array", "Elements one after the other in memory; of a buffer the length is known when the kernel runs."),
    ("f32", "A float of 32 bits: 4 bytes."),
    ("f16", "A float of 16 bits: 2 bytes."),
    ("u32", "A whole number of 32 bits from 0 on: 4 bytes."),
    ("i32", "A whole number of 32 bits: 4 bytes."),
    ("vec2", "Two values that are loaded and stored as one."),
    ("vec3", "Three values that are loaded and stored as one."),
    ("vec4", "Four values that are loaded and stored as one: of f32, 16 bytes per lane."),
    ("atomic", "A word that lanes change one at a time, so that no change is lost."),
    (
        "workgroupBarrier",
        "All lanes of the workgroup wait here until each has come, and see what the others wrote to workgroup memory.",
    ),
    (
        "storageBarrier",
        "All lanes of the workgroup wait here, and see what the others of the workgroup wrote to buffers.",
    ),
    ("atomicAdd", "Adds to a word in memory as one step, and gives back what it held."),
    ("subgroupAdd", "The sum over the lanes of the subgroup, without memory."),
    ("subgroupMax", "The maximum over the lanes of the subgroup, without memory."),
    (
        "subgroupShuffleXor",
        "The value of the lane whose number differs in these bits: registers are exchanged without memory.",
    ),
    ("subgroupBroadcastFirst", "The value of the first lane that is active, for all lanes of the subgroup."),
    ("select", "select(a, b, c) is b where c holds, else a: both are computed, and no branch is taken."),
    ("fma", "a * b + c in one operation, rounded once."),
    ("enable", "Asks the compiler for a part of the language that not every device has."),
];

/// The word that a character of a line belongs to, and what it means; None where that is not known.
#[must_use]
pub fn told(line: &str, column: usize) -> Option<(String, &'static str)> {
    let chars: Vec<char> = line.chars().collect();
    let is_part = |c: &char| c.is_alphanumeric() || *c == '_';
    if !chars.get(column).is_some_and(|c| is_part(c) || *c == '@') {
        return None;
    }
    let comment = line.find("//").map(|at| line[..at].chars().count());
    if comment.is_some_and(|from| column >= from) {
        return None;
    }
    let before = chars[..column].iter().rev().take_while(|c| is_part(c)).count();
    let from = column - before;
    let from = if from > 0 && chars[from - 1] == '@' { from - 1 } else { from };
    let word: String = chars[from..]
        .iter()
        .enumerate()
        .take_while(|(i, c)| (*i == 0 && **c == '@') || is_part(c))
        .map(|(_, c)| c)
        .collect();
    let meaning = WORDS.iter().find(|(known, _)| *known == word)?.1;
    Some((word, meaning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_told_wherever_one_points_in_it() {
        let line = "@compute @workgroup_size(256) // let";
        let at = |column| told(line, column).map(|(word, _)| word);
        for column in [0, 3, 7] {
            assert_eq!(at(column).as_deref(), Some("@compute"));
        }
        assert_eq!(at(12).as_deref(), Some("@workgroup_size"));
        assert_eq!(at(8), None, "a space");
        assert_eq!(at(26), None, "a number");
        assert_eq!(at(34), None, "a comment");
        assert_eq!(at(99), None);
        assert_eq!(told("    let value = src[i];", 5).map(|(word, _)| word).as_deref(), Some("let"));
        assert_eq!(told("letter", 2), None);
    }

    #[test]
    fn no_word_is_there_twice() {
        for (i, (word, meaning)) in WORDS.iter().enumerate() {
            assert!(WORDS[..i].iter().all(|(other, _)| other != word), "{word}");
            assert!(meaning.ends_with('.'), "{word}");
        }
    }
}
