//! An einsum by its letters, as `torch.einsum` takes them in lower case: loops, strides, operations, and the einsum of each operand's gradient.

use std::collections::BTreeSet;

/// The names of the operands. The result is c.
pub const NAMES: [char; 3] = ['a', 'b', 'd'];

/// Dimensions of an operand, and different letters, at most.
const DIMENSIONS: usize = 4;
const LETTERS: usize = 8;

/// Einsums to look at, with what they are.
pub const EINSUMS: [(&str, &str); 8] = [
    ("product", "ij,jk->ik"),
    ("outer", "i,j->ij"),
    ("dot", "ij,ij->i"),
    ("transpose", "ij->ji"),
    ("batch", "bij,bjk->bik"),
    ("broadcast", "ij,j->ij"),
    ("attention", "bhqd,bhkd->bhqk"),
    ("diagonal", "ii->i"),
];

/// An einsum of operands in row-major order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Einsum {
    /// The letters of each operand's dimensions.
    pub operands: Vec<Vec<char>>,
    /// The letters of the result.
    pub result: Vec<char>,
}

/// The values of a letter: few for those that begin the alphabet, which batches and heads have.
#[must_use]
pub fn size(letter: char) -> usize {
    if ('a'..='c').contains(&letter) || letter == 'h' { 2 } else { 8 }
}

/// The number of elements with these letters.
#[must_use]
pub fn elements(letters: &[char]) -> usize {
    letters.iter().map(|letter| size(*letter)).product()
}

impl Einsum {
    /// Reads `ij,jk->ik`. Without an arrow the result has the letters that are there once, in the alphabet's order.
    ///
    /// # Errors
    /// A sentence about the first letter that is wrong.
    pub fn read(text: &str) -> Result<Self, String> {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (left, right) = text.split_once("->").map_or((text.as_str(), None), |(left, right)| (left, Some(right)));
        let letters = |part: &str| -> Result<Vec<char>, String> {
            match part.chars().find(|c| !c.is_ascii_lowercase()) {
                Some(c) => Err(format!("`{c}` is no letter from a to z; an einsum is written as in `ij,jk->ik`")),
                None => Ok(part.chars().collect()),
            }
        };
        let operands = left.split(',').map(letters).collect::<Result<Vec<_>, _>>()?;
        let shown = |letters: &[char]| letters.iter().collect::<String>();
        if operands.len() > NAMES.len() {
            return Err(format!("{} operands; at most {} are shown", operands.len(), NAMES.len()));
        }
        if operands.iter().all(Vec::is_empty) {
            return Err("no operand has a letter; an einsum is written as in `ij,jk->ik`".to_owned());
        }
        let different = operands.iter().flatten().collect::<BTreeSet<_>>().len();
        if different > LETTERS {
            return Err(format!("{different} different letters; at most {LETTERS} are shown"));
        }
        if let Some(long) = operands.iter().find(|operand| operand.len() > DIMENSIONS) {
            return Err(format!("`{}` has {} dimensions; at most {DIMENSIONS} are shown", shown(long), long.len()));
        }
        let all = || operands.iter().flatten();
        let result = match right {
            Some(right) => letters(right)?,
            None => {
                let mut once: Vec<char> = all().copied().filter(|c| all().filter(|of| *of == c).count() == 1).collect();
                once.sort_unstable();
                once
            }
        };
        for (at, letter) in result.iter().enumerate() {
            if !all().any(|of| of == letter) {
                return Err(format!("the result has the letter `{letter}`, and no operand has it"));
            }
            if result[..at].contains(letter) {
                return Err(format!("the result has the letter `{letter}` twice"));
            }
        }
        if result.len() > DIMENSIONS {
            return Err(format!("the result has {} dimensions; at most {DIMENSIONS} are shown", result.len()));
        }
        Ok(Self { operands, result })
    }

    /// It in letters.
    #[must_use]
    pub fn written(&self) -> String {
        let operands: Vec<String> = self.operands.iter().map(|letters| letters.iter().collect()).collect();
        format!("{}->{}", operands.join(","), self.result.iter().collect::<String>())
    }

    /// The letters that are summed over, in the order of the operands.
    #[must_use]
    pub fn summed(&self) -> Vec<char> {
        let mut summed = Vec::new();
        for letter in self.operands.iter().flatten() {
            if !self.result.contains(letter) && !summed.contains(letter) {
                summed.push(*letter);
            }
        }
        summed
    }

    /// By how many elements an operand goes on if a letter goes on by one: 0 for a letter that it does not have, and the sum of both where
    /// it has it twice.
    #[must_use]
    pub fn stride(&self, operand: usize, letter: char) -> usize {
        let letters = &self.operands[operand];
        let after = |at: usize| elements(&letters[at + 1..]);
        letters.iter().enumerate().filter(|(_, of)| **of == letter).map(|(at, _)| after(at)).sum()
    }

    /// The element of an operand that the given values of letters choose.
    #[must_use]
    pub fn place(&self, operand: usize, values: &[(char, usize)]) -> usize {
        values.iter().map(|(letter, value)| value * self.stride(operand, *letter)).sum()
    }

    /// Multiplications and additions: a product of the operands for each value of all letters, and a sum where one is summed over.
    #[must_use]
    pub fn flops(&self) -> usize {
        let summed = self.summed();
        let each = self.operands.len() - 1 + usize::from(!summed.is_empty());
        each * elements(&self.result) * elements(&summed)
    }

    /// The einsum of an operand's gradient from the result's and the other operands.
    #[must_use]
    pub fn gradient(&self, operand: usize) -> Gradient {
        let mut letters = self.operands[operand].clone();
        let mut seen = BTreeSet::new();
        letters.retain(|letter| seen.insert(*letter));
        let is_diagonal = letters.len() < self.operands[operand].len();
        let others = self.operands.iter().enumerate().filter(|(at, _)| *at != operand).map(|(_, of)| of.clone());
        let operands: Vec<Vec<char>> = std::iter::once(self.result.clone()).chain(others).collect();
        let (result, same) = letters.iter().partition(|letter| operands.iter().any(|of| of.contains(letter)));
        Gradient { einsum: Self { operands, result }, same, is_diagonal }
    }
}

/// The gradient of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gradient {
    /// Its einsum. The first operand is the gradient of the result.
    pub einsum: Einsum,
    /// The letters along which it is the same: those that no other factor has.
    pub same: Vec<char>,
    /// Whether the einsum gives a diagonal, because the operand has a letter twice; the rest is 0.
    pub is_diagonal: bool,
}

/// The values of each of these letters at a place in row-major order.
#[must_use]
pub fn values(letters: &[char], mut place: usize) -> Vec<(char, usize)> {
    let mut values = Vec::new();
    for letter in letters.iter().rev() {
        values.push((*letter, place % size(*letter)));
        place /= size(*letter);
    }
    values.reverse();
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Einsum {
        Einsum::read(text).expect(text)
    }

    /// The einsum of these operands, by its definition.
    fn computed(einsum: &Einsum, operands: &[Vec<f64>]) -> Vec<f64> {
        let summed = einsum.summed();
        let element = |place: usize| {
            let of_result = values(&einsum.result, place);
            (0..elements(&summed))
                .map(|step| {
                    let all = [of_result.clone(), values(&summed, step)].concat();
                    (0..operands.len()).map(|operand| operands[operand][einsum.place(operand, &all)]).product::<f64>()
                })
                .sum()
        };
        (0..elements(&einsum.result)).map(element).collect()
    }

    /// Numbers without a pattern.
    fn numbers(count: usize, seed: usize) -> Vec<f64> {
        (0..count).map(|i| (((i + 1) * (seed + 17) * 7919) % 1009) as f64 / 1009.0 - 0.5).collect()
    }

    #[test]
    fn loops_strides_and_operations_are_those_of_the_letters() {
        let product = of(" ij, jk -> ik ");
        assert_eq!((product.written().as_str(), product.summed()), ("ij,jk->ik", vec!['j']));
        assert_eq!(['i', 'j', 'k'].map(|letter| product.stride(0, letter)), [8, 1, 0]);
        assert_eq!(['i', 'j', 'k'].map(|letter| product.stride(1, letter)), [0, 8, 1]);
        assert_eq!(product.flops(), 2 * 8 * 8 * 8);
        assert_eq!((of("i,j->ij").flops(), of("ij->ji").flops(), of("ij->i").flops()), (64, 0, 64));
        assert_eq!((of("ii->i").stride(0, 'i'), of("bij,bjk->bik").stride(0, 'b')), (9, 64));
        // torch.einsum's rule for the letters of a result that is not given.
        assert_eq!((of("kj,ji").written().as_str(), of("ii").written().as_str()), ("kj,ji->ik", "ii->"));
    }

    #[test]
    fn an_einsum_that_is_none_says_why() {
        let why = |text: &str| Einsum::read(text).expect_err(text);
        assert!(why("ij,jk->iq").contains("`q`") && why("ij->ii").contains("twice"));
        assert!(why("iJ->i").contains("`J`") && why("...ij->ij").contains("`.`") && why("ij->j->i").contains("`-`"));
        assert!(why("").contains("no operand has a letter") && why(",->").contains("no operand has a letter"));
        assert!(why("abcd,efgh,ijkl->a").contains("12 different letters"));
        assert!(why("a,b,c,d->a").contains("4 operands") && why("ijklm->i").contains("5 dimensions"));
        assert!(why("ij,kl,mn->ijklm").contains("the result has 5 dimensions"));
    }

    /// The einsum is linear in each operand: for any change da of a, the sum of dc · einsum(da, b) is that of da · (a's gradient).
    #[test]
    fn a_gradient_is_the_einsum_with_letters_exchanged() {
        for (_, text) in EINSUMS.into_iter().chain([
            ("", "ij,j->i"),
            ("", "ij->i"),
            ("", "ij,jk,kl->il"),
            ("", "ii,i->i"),
            ("", "ii,jj->"),
            ("", ",i->i"),
        ]) {
            let einsum = of(text);
            let inputs: Vec<Vec<f64>> =
                einsum.operands.iter().enumerate().map(|(at, of)| numbers(elements(of), at)).collect();
            let upstream = numbers(elements(&einsum.result), 9);
            for operand in 0..inputs.len() {
                let Gradient { einsum: gradient, same, is_diagonal } = einsum.gradient(operand);
                assert_eq!(is_diagonal, einsum.operands[operand].windows(2).any(|two| two[0] == two[1]));
                let change = numbers(inputs[operand].len(), 5);
                let mut changed = inputs.clone();
                changed[operand].clone_from(&change);
                let first: f64 = computed(&einsum, &changed).iter().zip(&upstream).map(|(a, b)| a * b).sum();
                let others = inputs.iter().enumerate().filter(|(at, _)| *at != operand).map(|(_, of)| of.clone());
                let factors: Vec<Vec<f64>> = std::iter::once(upstream.clone()).chain(others).collect();
                let found = computed(&gradient, &factors);
                let letters = &einsum.operands[operand];
                let second: f64 = (0..change.len())
                    .map(|place| {
                        let at = values(letters, place);
                        if at.iter().any(|(letter, value)| at.iter().any(|(of, other)| of == letter && other != value))
                        {
                            return 0.0;
                        }
                        let mut seen = BTreeSet::new();
                        let at = at.into_iter().filter(|(letter, _)| seen.insert(*letter));
                        let kept: Vec<_> = at.filter(|(letter, _)| !same.contains(letter)).collect();
                        let place_there = kept.iter().fold(0, |sum, (letter, value)| sum * size(*letter) + value);
                        change[place] * found[place_there]
                    })
                    .sum();
                assert!((first - second).abs() < 1e-9 * (1.0 + first.abs()), "{text}, {operand}: {first} {second}");
            }
        }
    }
}
