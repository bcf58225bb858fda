//! Chance that repeats: the same seed gives the same arrivals and the same order of rounds.

/// SplitMix64: small, good enough to spread test data, and the same on every machine.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to `end` - 1; 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        // The bias of the remainder is far below what test data could show.
        usize::try_from(self.roll() % (end.max(1) as u64)).unwrap_or(0)
    }

    /// True `percent` times in a hundred.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`, which must not be empty.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// An event id as Pozy makes them: a random UUID.
    pub(crate) fn uuid(&mut self) -> String {
        let bytes = (u128::from(self.roll()) << 64) | u128::from(self.roll());
        uuid::Builder::from_random_bytes(bytes.to_be_bytes()).into_uuid().to_string()
    }

    /// An id of a post or an account: 24 hex characters.
    pub(crate) fn object_id(&mut self) -> String {
        format!("{:016x}{:08x}", self.roll(), self.roll() >> 32)
    }
}
