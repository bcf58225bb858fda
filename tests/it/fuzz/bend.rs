//! Makes new inputs of kept ones: bytes changed, moved, repeated, taken out, words of the formats put in, two inputs
//! crossed. What looks random repeats from run to run.

/// Makes inputs.
pub(super) struct Bender {
    dice: u64,
    words: Vec<Vec<u8>>,
    kept: Vec<Vec<u8>>,
}

/// Bytes that mean something in one of the formats, or in none.
const SIGNS: &[u8] = b"\0\t\n\r \"'%&+,-./0159:;<=>@[\\]{|}\x7f\xc3\xff";
/// Longest input that is made, bytes.
const LONGEST: usize = 4096;

impl Bender {
    /// `words` is a dictionary as LLVM's fuzzer takes it: a quoted word a line.
    pub(super) fn new(words: &str, kept: Vec<Vec<u8>>) -> Self {
        let words = words.lines().filter(|line| line.starts_with('"')).map(unquoted).collect();
        Self { dice: 0x5eed, words, kept }
    }

    fn below(&mut self, end: usize) -> usize {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.dice >> 33).unwrap_or(0) % end.max(1)
    }

    /// A part of the bytes, never longer than 64.
    fn part(&mut self, of: &[u8]) -> (usize, usize) {
        let from = self.below(of.len() + 1);
        let most = (of.len() - from).min(64);
        (from, from + self.below(most + 1))
    }

    /// One to five changes.
    pub(super) fn bend(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bent = bytes.to_vec();
        for _ in 0..=self.below(5) {
            self.change(&mut bent);
        }
        bent.truncate(LONGEST);
        bent
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        let (from, to) = self.part(&bytes.clone());
        match self.below(9) {
            0 => {
                if let Some(byte) = bytes.get_mut(from) {
                    *byte ^= 1 << self.below(8);
                }
            }
            1 => {
                if let Some(byte) = bytes.get_mut(from) {
                    *byte = SIGNS[self.below(SIGNS.len())];
                }
            }
            2 => drop(bytes.drain(from..to)),
            3 => {
                let part = bytes[from..to].to_vec();
                bytes.splice(to..to, part);
            }
            4 => {
                let part: Vec<u8> = bytes.drain(from..to).collect();
                let at = self.below(bytes.len() + 1);
                bytes.splice(at..at, part);
            }
            5 | 6 => {
                let number = self.below(self.words.len());
                let word = self.words[number].clone();
                let end = if self.below(2) == 0 { from } else { to };
                bytes.splice(from..end, word);
            }
            7 => {
                let number = self.below(self.kept.len());
                let other = self.kept[number].clone();
                let (start, end) = self.part(&other);
                bytes.splice(from..to, other[start..end].iter().copied());
            }
            _ => {
                let number = ["0", "-1", "9223372036854775807", "1e999", "18446744073709551616", "0.5"][self.below(6)];
                bytes.splice(from..to, number.bytes());
            }
        }
    }
}

/// The bytes of a word in quotes: `\"`, `\\` and `\xNN` stand for others.
fn unquoted(line: &str) -> Vec<u8> {
    let inner = line.trim().trim_start_matches('"');
    let mut rest = inner.strip_suffix('"').unwrap_or(inner).bytes();
    let mut word = Vec::new();
    while let Some(byte) = rest.next() {
        let escaped = (byte == b'\\').then(|| rest.next()).flatten();
        word.push(match escaped {
            None => byte,
            Some(b'x') => {
                let digits = [rest.next().unwrap_or(b'0'), rest.next().unwrap_or(b'0')];
                u8::from_str_radix(&String::from_utf8_lossy(&digits), 16).expect("two digits")
            }
            Some(other) => other,
        });
    }
    word
}

#[test]
fn a_dictionary_gives_bytes() {
    assert_eq!(unquoted(r#""a\"b\\\x0d\xff""#), b"a\"b\\\r\xff");
}
