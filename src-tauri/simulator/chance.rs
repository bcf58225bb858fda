//! Ids and the order that a shuffle gives. With a seed both repeat from run to run; secrets never do.

use chrono::{DateTime, Utc};
use ring::rand::{SecureRandom, SystemRandom};

use crate::error::Error;

/// A small repeatable generator (splitmix64). Not for secrets: those come from [`secret`].
pub(crate) struct Chance(u64);

impl Chance {
    /// Starts from `seed`, or from the system's random numbers.
    pub(crate) fn start(seed: Option<u64>) -> Result<Self, Error> {
        match seed {
            Some(seed) => Ok(Self(seed)),
            None => Ok(Self(u64::from_le_bytes(random()?))),
        }
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// An id in Pozy's form for posts, accounts and webhooks: 24 hexadecimal digits, the first eight the time.
    pub(crate) fn object_id(&mut self, now: DateTime<Utc>) -> String {
        format!("{:08x}{:016x}", now.timestamp() & 0xffff_ffff, self.next())
    }

    /// A UUID in the form of version 4, for events and requests.
    pub(crate) fn uuid(&mut self) -> String {
        let (high, low) = (self.next(), self.next());
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xfff,
            0x8000 | ((low >> 48) & 0x3fff),
            low & 0xffff_ffff_ffff
        )
    }

    /// A share of a whole, from 0 up to but without 1.
    pub(crate) fn share(&mut self) -> f64 {
        f64::from(u32::try_from(self.next() >> 32).unwrap_or(0)) / (f64::from(u32::MAX) + 1.0)
    }
}

/// `prefix` and 48 hexadecimal digits from the system's random numbers.
///
/// # Errors
/// [`Error::NoRandom`] if the system gives none.
pub(crate) fn secret(prefix: &str) -> Result<String, Error> {
    Ok(format!("{prefix}{}", hex(&random::<24>()?)))
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn random<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| Error::NoRandom)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_and_ids_have_their_forms() {
        let now = "2026-03-02T09:00:00Z".parse().unwrap();
        let mut one = Chance::start(Some(7)).unwrap();
        let mut two = Chance::start(Some(7)).unwrap();
        assert_eq!((one.object_id(now), one.uuid()), (two.object_id(now), two.uuid()));
        assert_eq!(one.object_id(now).len(), 24);
        let uuid = one.uuid();
        assert_eq!(uuid.len(), 36);
        assert_eq!(uuid.as_bytes()[14], b'4');
        assert!(matches!(uuid.as_bytes()[19], b'8' | b'9' | b'a' | b'b'));
    }

    #[test]
    fn no_two_secrets_are_alike() {
        assert_ne!(secret("sk_").unwrap(), secret("sk_").unwrap());
    }
}
