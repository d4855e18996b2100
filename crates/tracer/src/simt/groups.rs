//! Asynchronous work of a warp's lanes in groups, as PTX's `commit_group` and `wait_group` have it.

/// Pieces of work that a warp may have begun and not waited for; of more, the oldest half is forgotten.
const MOST: usize = 1 << 14;

/// Work that is not known to be complete, oldest first.
#[derive(Clone, Debug)]
pub struct Groups<T, const W: usize> {
    begun: Vec<Begun<T, W>>,
    /// By lane, the groups that it has committed.
    committed: [u32; W],
}

#[derive(Clone, Debug)]
struct Begun<T, const W: usize> {
    /// The lanes whose part is not complete.
    mask: u64,
    /// By lane, the number of its group, from 0.
    group: [u32; W],
    work: T,
}

impl<T, const W: usize> Default for Groups<T, W> {
    fn default() -> Self {
        Self { begun: Vec::new(), committed: [0; W] }
    }
}

impl<T, const W: usize> Groups<T, W> {
    /// Lanes begin something, which belongs to their next group.
    pub fn begin(&mut self, mask: u64, work: T) {
        if self.begun.len() == MOST {
            self.begun.drain(..MOST / 2);
        }
        self.begun.push(Begun { mask, group: self.committed, work });
    }

    /// Lanes end a group.
    pub fn commit(&mut self, mask: u64) {
        for (lane, committed) in self.committed.iter_mut().enumerate() {
            *committed = committed.wrapping_add((mask >> lane) as u32 & 1);
        }
    }

    /// Lanes wait until at most `left` of their last groups are not complete; for everything, committed or not, if None. Gives what is
    /// complete now, oldest first, with its lanes.
    pub fn wait(&mut self, mask: u64, left: Option<u32>) -> Vec<(u64, T)>
    where
        T: Clone,
    {
        let mut complete = Vec::new();
        for begun in &mut self.begun {
            let mut lanes = 0_u64;
            for (lane, (group, committed)) in begun.group.iter().zip(&self.committed).enumerate() {
                let is_complete = left.is_none_or(|left| committed.wrapping_sub(*group) > left);
                lanes |= u64::from(is_complete) << lane;
            }
            lanes &= begun.mask & mask;
            if lanes != 0 {
                begun.mask &= !lanes;
                complete.push((lanes, begun.work.clone()));
            }
        }
        self.begun.retain(|begun| begun.mask != 0);
        complete
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_wait_for_their_own_groups() {
        let mut groups = Groups::<u32, 32>::default();
        groups.begin(0b11, 1);
        groups.commit(0b11);
        groups.begin(0b01, 2);
        groups.commit(0b01);
        groups.begin(0b11, 3);
        // Lane 1 has committed one group, and lane 0 two.
        assert_eq!(groups.wait(0b11, Some(1)), [(0b01, 1)]);
        assert_eq!(groups.wait(0b11, Some(0)), [(0b10, 1), (0b01, 2)]);
        assert_eq!(groups.wait(0b11, Some(0)), []);
        assert_eq!(groups.wait(0b11, None), [(0b11, 3)]);
    }
}
