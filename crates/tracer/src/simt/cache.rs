//! A cache of lines of four sectors, as NVIDIA's L1 and L2 are: a tag for each line of 128 bytes, and valid and dirty bits for its
//! sectors of 32 bytes (Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018, chapter 3). It replaces
//! the line of a set that was used least recently.

/// Sectors of a line.
const SECTORS: u32 = 4;

/// Lines of a set, at most.
const WAYS: usize = 16;

/// A cache. Sectors are numbered from the start of memory.
#[derive(Clone, Debug)]
pub struct Cache {
    ways: usize,
    sets: usize,
    lines: Vec<Line>,
    /// Accesses so far.
    now: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// Its number plus 1; 0 if the place is empty.
    tag: u32,
    valid: u8,
    dirty: u8,
    used: u64,
}

/// The outcome of an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// Whether the sector was in the cache.
    pub hit: bool,
    /// Dirty sectors that had to leave for it.
    pub written_back: u32,
}

impl Cache {
    /// An empty cache of `bytes`, of one line at least.
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        let lines = usize::try_from(bytes / 128).unwrap_or(usize::MAX).max(1);
        let ways = lines.min(WAYS);
        let sets = lines / ways;
        Self { ways, sets, lines: vec![Line::default(); sets * ways], now: 0 }
    }

    /// Loads a sector: `fetches` sectors from a multiple of that on are valid afterwards (1, 2 or 4).
    pub fn load(&mut self, sector: u32, fetches: u32) -> Served {
        let (line, served) = self.line(sector);
        let bit = 1 << (sector % SECTORS);
        let hit = line.valid & bit != 0;
        if !hit {
            let first = sector % SECTORS / fetches * fetches;
            line.valid |= (((1_u32 << fetches) - 1) << first) as u8;
        }
        Served { hit, ..served }
    }

    /// Stores to a sector, which is not fetched for it.
    pub fn store(&mut self, sector: u32) -> Served {
        let (line, served) = self.line(sector);
        let bit = 1 << (sector % SECTORS);
        let hit = line.valid & bit != 0;
        line.valid |= bit;
        line.dirty |= bit;
        Served { hit, ..served }
    }

    /// The sectors that were stored to and not written back.
    #[must_use]
    pub fn dirty(&self) -> u64 {
        self.lines.iter().map(|line| u64::from(line.dirty.count_ones())).sum()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.lines.fill(Line::default());
    }

    /// The line of a sector, used now; it takes the place of another one if it was not there.
    fn line(&mut self, sector: u32) -> (&mut Line, Served) {
        let number = sector / SECTORS;
        // Neighbouring lines are spread over the sets, also those at multiples of a power of two.
        let hashed = (u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        let start = hashed % self.sets * self.ways;
        let set = &mut self.lines[start..start + self.ways];
        self.now += 1;
        let known = set.iter().position(|line| line.tag == number + 1);
        let oldest = || set.iter().enumerate().min_by_key(|(_, line)| line.used).map_or(0, |(i, _)| i);
        let place = known.unwrap_or_else(oldest);
        let line = &mut set[place];
        let mut served = Served::default();
        if line.tag != number + 1 {
            served.written_back = line.dirty.count_ones();
            *line = Line { tag: number + 1, ..Line::default() };
        }
        line.used = self.now;
        (line, served)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sector_is_there_after_it_was_loaded_and_neighbours_are_not() {
        let mut cache = Cache::new(4096);
        assert!(!cache.load(4, 1).hit && cache.load(4, 1).hit && !cache.load(5, 1).hit);
        // DRAM gives two at a time.
        assert!(!cache.load(8, 2).hit && cache.load(9, 2).hit && !cache.load(10, 2).hit);
    }

    #[test]
    fn the_least_recently_used_line_leaves_and_is_written_back() {
        // One set of two lines.
        let mut cache = Cache::new(256);
        cache.store(0);
        cache.store(1);
        cache.load(4, 1);
        cache.load(0, 1);
        assert_eq!(cache.dirty(), 2);
        // Line 1 leaves, which is clean, then line 0.
        assert_eq!(cache.load(8, 1), Served::default());
        assert_eq!(cache.load(4, 1), Served { hit: false, written_back: 2 });
        assert!(!cache.load(0, 1).hit && cache.dirty() == 0);
    }

    #[test]
    fn what_fits_stays() {
        let mut cache = Cache::new(1 << 20);
        // Half of it: random sets overflow rarely.
        for sector in 0..(1 << 14) {
            cache.load(sector, 1);
        }
        let hits = (0..(1 << 14)).filter(|sector| cache.load(*sector, 1).hit).count();
        assert!(hits > 16_000, "{hits}");
        cache.clear();
        assert!(!cache.load(0, 1).hit);
    }
}
