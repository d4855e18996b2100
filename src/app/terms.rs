//! The words of the trade in prose, each with what it means, for who points at it.

/// Words as they appear in prose, in the singular and in lower case unless they are names, with their meanings.
const TERMS: [(&str, &str); 53] = [
    ("kernel", "A program that a GPU runs once for each of many lanes."),
    ("lane", "One thread of a kernel, by its place in its warp: 0 to 31."),
    ("warp", "32 lanes that NVIDIA's hardware runs together: one instruction is issued for all of them."),
    ("subgroup", "WGSL's word for the lanes that run together. On NVIDIA's hardware it is a warp."),
    (
        "workgroup",
        "Lanes that start together on one SM, and can share memory and wait for each other. CUDA says block.",
    ),
    ("block", "CUDA's word for workgroup: lanes that start together on one SM, and can share memory."),
    ("grid", "All workgroups of one start of a kernel."),
    ("launch", "One start of a kernel over a whole grid."),
    ("request", "One load or store of a warp, as the memory system receives it, with an address for each active lane."),
    ("sector", "32 bytes that begin at a multiple of 32: the least that NVIDIA's caches move."),
    ("efficiency", "Bytes that lanes asked for, divided by bytes of the sectors that were moved."),
    ("bank", "One of 32 parts of workgroup memory. Each hands out one word of 4 bytes at a time."),
    ("wavefront", "One turn of workgroup memory: at most one word from each bank. A conflict takes more turns."),
    ("conflict", "Lanes of a warp that want different words of one bank: they are served one after the other."),
    ("barrier", "A place where each lane of a workgroup waits until all have come."),
    (
        "tile",
        "A part of a matrix or a table that is worked on as a whole, and often brought into faster memory for that.",
    ),
    ("register", "The fastest memory: each lane has its own, up to 255 words."),
    ("occupancy", "Warps that are on an SM at once, as a share of the most that fit."),
    ("wave", "As many workgroups as fit on all SMs at once. The next wave begins where one has finished."),
    ("sm", "Streaming multiprocessor: the part of an NVIDIA GPU that runs workgroups. An H100 has 132."),
    ("dram", "The GPU's large memory, outside of the chip. All caches are filled from it."),
    ("hbm", "High-bandwidth memory: the kind of DRAM that stands beside the chip of a large GPU."),
    ("l1", "The cache of one SM. Workgroup memory is cut from the same storage."),
    ("l2", "The cache that all SMs share, between them and DRAM."),
    ("cache", "Small fast memory that keeps what was used last, so that it need not be fetched again."),
    ("latency", "The time from asking to getting."),
    ("throughput", "How much gets done in a second."),
    ("bandwidth", "How many bytes a memory can move in a second."),
    (
        "roofline",
        "What a device allows at best: its bandwidth for work with few operations a byte, its arithmetic beyond.",
    ),
    ("intensity", "Operations for each byte that is moved."),
    ("divergence", "Lanes of a warp that take different branches: the warp runs both, one after the other."),
    ("atomic", "A read, a change and a write of one word that nothing comes between."),
    ("median", "The middle sample: half took longer, half less long."),
    ("percentile", "The 10th percentile is the time that a tenth of the samples fell below."),
    ("trace", "What an interpreter counted while it ran the kernel, lane by lane: requests, sectors, conflicts."),
    ("fma", "a × b + c in one instruction. It counts as two operations."),
    ("flop", "One operation on floats: an addition or a multiplication."),
    ("logit", "A score before the softmax: any number, one for each class or token."),
    ("jacobian", "The matrix of all partial derivatives: row i, column j says how output i changes with input j."),
    ("tensor", "An array of any number of dimensions."),
    ("cublas", "NVIDIA's library for products of matrices."),
    ("collective", "An exchange in which all ranks take part, such as an all-reduce."),
    ("all-reduce", "Each rank gets the sum of what all ranks have."),
    ("all-gather", "Each rank gets the parts of all ranks, one after the other."),
    ("reduce-scatter", "The sum of what all ranks have, of which each rank gets a part."),
    ("nccl", "NVIDIA's library of collectives between GPUs."),
    ("shard", "The part of an array that one rank keeps."),
    ("bucket", "Gradients that are sent together, so that there are few large messages."),
    ("scan", "For each element the sum of those before it, by all lanes at once."),
    ("hash", "A number made of a key, by which its place in a table is found."),
    ("slot", "A place of a table for one entry."),
    ("pre-tokenization", "Cutting a text into words before the merges, which do not reach over a cut."),
    ("triton", "A language in Python for kernels of tiles, compiled for GPUs."),
];

/// Words before which a term is a part of another name: a tensor core is no tensor.
const OTHERWISE: [(&str, &[&str]); 1] =
    [("tensor", &["core", "cores", "parallelism", "parallel", "and", "map", "maps"])];

/// The term and its meaning for a word of prose; None for other words, and for one that is part of another name with
/// the `next` word. Punctuation around it, a plural and a possessive do not matter.
#[must_use]
pub fn told(word: &str, next: &str) -> Option<(&'static str, &'static str)> {
    let (term, meaning) = known(word)?;
    let next = next.trim_matches(|c: char| !c.is_alphanumeric());
    let is_other = OTHERWISE.iter().any(|(of, follow)| *of == term && follow.contains(&next));
    (!is_other).then_some((term, meaning))
}

fn known(word: &str) -> Option<(&'static str, &'static str)> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    let find = |word: &str| TERMS.iter().find(|(term, _)| term.eq_ignore_ascii_case(word));
    find(word).or_else(|| find(word.strip_suffix('s')?)).or_else(|| find(word.strip_suffix("es")?)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_found_in_the_plural_and_beside_punctuation() {
        let term = |word: &str| told(word, "").map(|(term, _)| term);
        assert_eq!(term("warps,"), Some("warp"));
        assert_eq!(term("(Sector)."), Some("sector"));
        assert_eq!(term("warp's"), Some("warp"));
        assert_eq!(term("SMs"), Some("sm"));
        assert_eq!(term("caches"), Some("cache"));
        assert_eq!(term("latency:"), Some("latency"));
        assert_eq!(term("unroll"), None);
        assert_eq!(term("–"), None);
        assert_eq!(term(""), None);
        assert_eq!(told("tensor", "cores,"), None);
        assert!(told("tensor", "of").is_some());
    }

    #[test]
    fn no_term_is_there_twice() {
        for (i, (term, meaning)) in TERMS.iter().enumerate() {
            assert!(TERMS[..i].iter().all(|(other, _)| other != term), "{term}");
            assert!(meaning.ends_with('.'), "{term}");
            assert_eq!(term.to_lowercase(), *term);
        }
    }
}
