//! What must not leave the log (contract, last point), and the one place that masks it. A secret is told by the name of
//! its header, field or parameter (`names`), in text of any kind by its name, its announcement or its form (`text`), in
//! JSON where it stands (`json`); a value that was masked in one place is masked in every other (`known`). A masked value
//! becomes a placeholder numbered per file; equal values share a number, so that rows stay comparable. Words that were
//! published, keys of jobs and ids are evidence and stay. Pure.

mod json;
mod known;
mod names;
mod own;
mod placeholders;
mod places;
#[cfg(test)]
mod properties;
mod text;

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt,
};

use self::{
    known::KnownValues,
    placeholders::{number, placeholder},
    text::Found,
};
pub use self::{
    names::is_secret_name,
    own::Own,
    placeholders::{Piece, fits, is_masked, pieces},
    places::{mask_headers, mask_url, masked_header, shape_of_header},
};

/// Who masked what is masked already. The same number stands for one secret within one source only: each file that is
/// imported and each request that is received is numbered by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Source {
    /// The very file or row that is written or read.
    #[default]
    This,
    /// A file that was imported, by its row.
    Import(i64),
    /// The receiver, for one arrival.
    Arrival(i64),
    /// The sender, for the answer to one try.
    Attempt(i64),
    /// The fetch of one state.
    Observation(i64),
    /// A person's note.
    Note(i64),
}

/// One secret as far as it can be told from others.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Known {
    /// By its value.
    Value(String),
    /// By the placeholder that another file gave it.
    Number(Source, usize),
}

/// Hands out placeholders for one file: the same for the same secret, never one for two. What it has seen stays
/// inside: its `Debug` tells only how many.
#[derive(Clone, Default)]
pub struct Mask {
    source: Source,
    seen: HashMap<Known, usize>,
    taken: HashSet<usize>,
    /// No number below this one is free.
    lowest: usize,
    /// Every number below this one may be a secret's that was forgotten.
    floor: usize,
    places: usize,
    kinds: BTreeMap<String, Covered>,
    known: KnownValues,
    /// True while every placeholder that is met is one of this file's.
    settled: bool,
}

/// What was masked of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    /// Places.
    pub places: usize,
    numbers: BTreeSet<usize>,
}

impl Covered {
    /// The placeholders that stand in those places.
    pub fn placeholders(&self) -> impl Iterator<Item = String> + '_ {
        self.numbers.iter().map(|number| placeholder(*number))
    }
}

impl Mask {
    /// A mask that knows the person's own secrets: they are covered wherever they stand.
    #[must_use]
    pub fn knowing(own: &Own) -> Self {
        Self { known: own.known.clone(), ..Self::default() }
    }

    /// The same mask, knowing the person's own secrets, too.
    #[must_use]
    pub fn and(mut self, own: &Own) -> Self {
        self.known.join(&own.known);
        self
    }

    /// Begins the same lines once more: what was covered anywhere the first time is covered everywhere the second, by
    /// the same placeholder.
    #[must_use]
    pub fn again(mut self) -> Self {
        self.known.catch_up();
        Self { places: 0, kinds: BTreeMap::new(), source: Source::This, ..self }
    }

    /// Looks from now on for the values that were covered until here; true if there are new ones. Looking for many is
    /// prepared only once enough more have come.
    pub fn catch_up(&mut self) -> bool {
        let worth = self.known.is_worth_catching_up();
        if worth {
            self.known.catch_up();
        }
        worth
    }

    /// Says that every placeholder in what comes next is one of this file's already, and stays.
    pub const fn settle(&mut self, settled: bool) {
        self.settled = settled;
    }

    /// A mask that has forgotten what `before` has seen, but gives none of its numbers again: for files that hold more
    /// secrets than memory should.
    #[must_use]
    pub fn after(before: &Self) -> Self {
        let highest = before.taken.iter().max().copied().unwrap_or_default();
        let lowest = before.lowest.max(before.floor).max(highest + 1);
        Self { source: before.source, lowest, floor: lowest, known: before.known.clone(), ..Self::default() }
    }

    /// How many different secrets it remembers.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.seen.len()
    }

    /// Says whose placeholders stand in what comes next.
    pub const fn meet(&mut self, source: Source) {
        self.source = source;
    }

    /// The placeholder for a value that stands in a place of that kind: `[masked 1]`, `[masked 2]` ..., in order of
    /// first sight. A placeholder keeps its number unless another secret has it here. An empty value stays.
    pub fn cover(&mut self, kind: &str, value: &str) -> String {
        if value.is_empty() {
            return String::new();
        }
        let value = &*itself(value);
        let before = number(value);
        let secret = match before {
            Some(number) => Known::Number(self.source, number),
            None => Known::Value(value.to_owned()),
        };
        let number = match (before.filter(|_| self.settled), self.seen.get(&secret)) {
            (Some(number), _) | (None, Some(&number)) => number,
            (None, None) => {
                let free = before
                    .filter(|number| *number >= self.floor && !self.taken.contains(number))
                    .unwrap_or_else(|| self.free());
                self.taken.insert(free);
                if before.is_none() {
                    self.learn(kind, value);
                }
                self.seen.insert(secret, free);
                free
            }
        };
        self.places += 1;
        let covered = self.kinds.entry(kind.to_ascii_lowercase()).or_default();
        covered.places += 1;
        covered.numbers.insert(number);
        placeholder(number)
    }

    /// Remembers a covered value, and what it is made of, to find it elsewhere. A signature stands for one request only
    /// and is never met again.
    fn learn(&mut self, kind: &str, value: &str) {
        if kind.starts_with("header ") && kind.ends_with("signature") {
            return;
        }
        self.known.learn(value, false);
        if let Some(inner) = text::undone(value) {
            let password = inner.split_once(':').map_or(inner.as_str(), |(_, password)| password);
            self.known.learn(password, false);
        }
        if kind.contains("cookie") {
            let values = value.split(';').filter_map(|pair| pair.split_once('=')).map(|(_, value)| value);
            values.for_each(|value| self.known.learn(value, false));
        }
    }

    /// A text with its secrets masked, as JSON if it is that; none if it holds none.
    fn text(&mut self, told: &str, depth: u8) -> Option<String> {
        if text::is_plain(told) && !self.known.stand_in(told) {
            return None;
        }
        if depth < text::DEEPEST
            && told.trim_start().starts_with(['{', '[', '"'])
            && let Ok(masked) = json::masked(told, self, depth)
        {
            return masked;
        }
        let known = &self.known;
        let mut found = text::find(told, depth, &|inner| known.stand_in(inner));
        found.extend(known.find(told, false));
        self.covered(told, found)
    }

    /// A text in which only known values are masked; only the person's own if the rest of it is evidence. What another
    /// file has masked there keeps its number from any secret of this one.
    fn sweep(&mut self, told: &str, only_own: bool) -> Option<String> {
        let mut found = self.known.find(told, only_own);
        found.extend(text::placeholders(told));
        self.covered(told, found)
    }

    fn covered(&mut self, told: &str, found: Vec<Found>) -> Option<String> {
        let found = text::apart(found);
        if found.is_empty() {
            return None;
        }
        let (mut masked, mut done) = (String::with_capacity(told.len()), 0);
        for one in found {
            masked.push_str(&told[done..one.range.start]);
            let value = one.value.as_deref().unwrap_or(&told[one.range.clone()]);
            masked.push_str(&self.cover(&one.kind, value));
            done = one.range.end;
        }
        masked.push_str(&told[done..]);
        Some(masked)
    }

    /// The lowest number that nothing has.
    fn free(&mut self) -> usize {
        self.lowest = (self.lowest.max(1)..).find(|number| !self.taken.contains(number)).unwrap_or(usize::MAX);
        self.lowest
    }

    /// How many places are masked, whoever masked them.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.places
    }

    /// The same by kind: `header authorization`, `field token`, `parameter access_token`, `password in an address`.
    #[must_use]
    pub fn kinds(self) -> BTreeMap<String, Covered> {
        self.kinds
    }
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mask({} places)", self.places)
    }
}

/// The secret itself: without the scheme that announces it, without percent signs, so that it is known again.
fn itself(value: &str) -> Cow<'_, str> {
    let value = value.trim();
    let bare = ["Bearer ", "Basic ", "Token "]
        .iter()
        .find_map(|scheme| {
            let begins = value.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme));
            begins.then(|| value[scheme.len()..].trim_start())
        })
        .filter(|bare| !bare.is_empty())
        .unwrap_or(value);
    text::unpercented(bare).map_or(Cow::Borrowed(bare), Cow::Owned)
}

/// A text of any kind with its secrets masked: a body, a note, an error. One without any keeps its very spelling.
#[must_use]
pub fn masked_text(text: String, mask: &mut Mask) -> String {
    mask.text(&text, 0).unwrap_or(text)
}

/// Covers what belongs together twice, so that what was covered anywhere is covered everywhere; gives the second.
pub fn twice<T>(mask: Mask, mut cover: impl FnMut(&mut Mask) -> T) -> T {
    let mut mask = mask;
    drop(cover(&mut mask));
    cover(&mut mask.again())
}

/// A body of any bytes with its secrets masked; what is no text is read letter by letter. None if it holds none.
pub fn masked_bytes(bytes: &[u8], mask: &mut Mask) -> Option<Vec<u8>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => mask.text(text, 0).map(String::into_bytes),
        Err(_) => {
            let letters: String = bytes.iter().map(|byte| char::from(*byte)).collect();
            let masked = mask.text(&letters, 0)?;
            Some(masked.chars().filter_map(|letter| u8::try_from(u32::from(letter)).ok()).collect())
        }
    }
}

/// Words that go to the program's own log or to standard error, for people who look for a mistake.
#[must_use]
pub fn masked_words(text: &str, own: &Own) -> String {
    masked_text(text.to_owned(), &mut Mask::knowing(own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::Secret;

    #[test]
    fn equal_secrets_share_a_number_and_others_do_not() {
        let mut mask = Mask::default();
        let mut headers = vec![
            ("Authorization".to_owned(), "Bearer one".to_owned()),
            ("accept".to_owned(), "*/*".to_owned()),
            ("x-token".to_owned(), "two".to_owned()),
        ];
        mask_headers(&mut headers, &mut mask);
        let body = r#"{"text":"hi","auth":{"token":"two","list":[{"secret":[7,true]}]}}"#;
        let body = masked_text(body.to_owned(), &mut mask);
        let values: Vec<_> = headers.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["[masked 1]", "*/*", "[masked 2]"]);
        assert_eq!(body, r#"{"text":"hi","auth":{"token":"[masked 2]","list":[{"secret":["[masked 3]",true]}]}}"#);
        assert_eq!(mask.count(), 4);
        assert!(!format!("{mask:?}").contains("two"));
    }

    #[test]
    fn what_is_masked_stays_as_it_is() {
        let mut mask = Mask::default();
        assert_eq!(mask.cover("field token", "[masked 7]"), "[masked 7]");
        assert_eq!(mask.cover("field token", "[masked x]"), "[masked 1]");
        assert_eq!(mask.count(), 2);
        let text = "{ \"token\": \"[masked 7]\" }".to_owned();
        assert_eq!(masked_text(text.clone(), &mut mask), text, "its very spelling stays");
    }

    #[test]
    fn one_number_never_stands_for_two_secrets() {
        let mut mask = Mask::default();
        mask.meet(Source::Arrival(1));
        assert_eq!(mask.cover("header cookie", "plum"), "[masked 1]");
        assert_eq!(mask.cover("header cookie", "[masked 1]"), "[masked 2]", "the receiver's first is another one");
        mask.meet(Source::Arrival(2));
        assert_eq!(mask.cover("header cookie", "[masked 1]"), "[masked 3]", "and so is that of another arrival");
        mask.meet(Source::Arrival(1));
        assert_eq!(mask.cover("header cookie", "[masked 1]"), "[masked 2]");
        assert_eq!(mask.cover("field token", "plum"), "[masked 1]");
        let kinds = mask.kinds();
        let told: Vec<_> = kinds.iter().map(|(kind, covered)| (kind.as_str(), covered.places)).collect();
        assert_eq!(told, [("field token", 1), ("header cookie", 4)]);
        assert_eq!(kinds["header cookie"].placeholders().count(), 3);
    }

    #[test]
    fn a_mask_that_forgot_gives_no_number_again() {
        let mut mask = Mask::default();
        let first = [mask.cover("field token", "plum"), mask.cover("field token", "[masked 9]")];
        let mut later = Mask::after(&mask);
        assert_eq!((mask.remembered(), later.remembered()), (2, 0));
        for value in ["pear", "[masked 1]", "[masked 9]"] {
            assert!(!first.contains(&later.cover("field token", value)), "{value}");
        }
    }

    #[test]
    fn a_masked_text_falls_into_pieces() {
        let text = "[a [masked 1][masked 22] [masked x] [masked 3";
        let expected = [
            Piece::Text("[a "),
            Piece::Masked("[masked 1]"),
            Piece::Masked("[masked 22]"),
            Piece::Text(" [masked x] [masked 3"),
        ];
        assert_eq!(pieces(text), expected);
        assert_eq!(pieces(""), []);
    }

    #[test]
    fn urls_keep_all_but_their_secrets() {
        let mut mask = Mask::default();
        let url = "https://me:pw@host.example/a?x=1&access_token=abc&y#token=abc";
        assert_eq!(
            mask_url(url, &mut mask),
            "https://me:[masked 1]@host.example/a?x=1&access_token=[masked 2]&y#token=[masked 2]"
        );
        assert_eq!(mask_url("/v1/posts/po_1", &mut mask), "/v1/posts/po_1");
    }

    #[test]
    fn what_another_file_masked_in_a_path_keeps_its_number_from_other_secrets() {
        let mut mask = Mask::default();
        assert_eq!(mask_url("/hooks/[masked 1]/x", &mut mask), "/hooks/[masked 1]/x");
        assert_eq!(mask.cover("header authorization", "plum-and-pear"), "[masked 2]");
    }

    #[test]
    fn a_secret_has_one_number_however_it_is_spelled() {
        let mut mask = Mask::default();
        let mut headers = vec![("Authorization".to_owned(), "Bearer sk/plum 9".to_owned())];
        mask_headers(&mut headers, &mut mask);
        assert_eq!(headers[0].1, "[masked 1]");
        assert_eq!(mask_url("/v1/x?token=sk%2Fplum+9%21", &mut mask), "/v1/x?token=[masked 2]");
        assert_eq!(mask_url("/v1/x?token=sk%2Fplum%209", &mut mask), "/v1/x?token=[masked 1]");
        assert_eq!(masked_text(r#"{"apiKey":"sk/plum 9"}"#.into(), &mut mask), r#"{"apiKey":"[masked 1]"}"#);
    }

    #[test]
    fn what_is_masked_in_one_place_is_masked_in_every_other() {
        let lines = [
            r#"{"said":"we use tok_plum_7 here","content":"tok_plum_7","coded":"eCB0b2tfcGx1bV83IHk="}"#,
            r#"{"token":"tok_plum_7"}"#,
            "plain tok_plum_7",
        ];
        let mut mask = Mask::default();
        for line in lines {
            drop(masked_text(line.into(), &mut mask));
        }
        let mut mask = mask.again();
        let masked: Vec<_> = lines.iter().map(|line| masked_text((*line).into(), &mut mask)).collect();
        assert_eq!(
            masked,
            [
                r#"{"said":"we use [masked 1] here","content":"tok_plum_7","coded":"[masked 1]"}"#,
                r#"{"token":"[masked 1]"}"#,
                "plain [masked 1]",
            ],
            "but what was published"
        );
        assert_eq!(mask.count(), 4);
        assert_eq!(mask_url("/v1/tok_plum_7/posts/tok_plum_7", &mut mask), "/v1/[masked 1]/posts/tok_plum_7");
    }

    #[test]
    fn a_masked_text_fits_what_it_was_made_of_and_nothing_else() {
        let raw = r#"{"a":"x","token":12,"b":"tok 9"}"#;
        for masked in
            [raw, r#"{"a":"x","token":"[masked 1]","b":"[masked 2]"}"#, r#"{"a":"x","token":"[masked 7]","b":"tok 9"}"#]
        {
            assert!(fits(masked, raw), "{masked}");
        }
        for masked in
            [r#"{"a":"y","token":"[masked 1]","b":"tok 9"}"#, r#"{"a":"x","token":"[masked 1]","b":"tok 9"}x"#, "x"]
        {
            assert!(!fits(masked, raw), "{masked}");
        }
        assert!(fits("[masked 1] x", "[masked 5] x") && is_masked("a [masked 1]") && !is_masked("a [masked]"));
    }

    #[test]
    fn what_is_no_text_keeps_its_bytes_but_for_the_secrets() {
        let bytes = b"\xff\xfe token=plum\x00 \xe9";
        assert_eq!(
            masked_bytes(bytes, &mut Mask::default()).as_deref(),
            Some(b"\xff\xfe token=[masked 1]\x00 \xe9".as_slice())
        );
        assert_eq!(masked_bytes(b"\xff\xfe", &mut Mask::default()), None);
    }

    #[test]
    fn the_own_key_goes_wherever_it_stands() {
        let mut own = Own::default();
        own.add(&Secret::new("sk_own_plum").unwrap());
        let mut mask = Mask::knowing(&own);
        let body = r#"{"content":"my sk_own_plum","id":"sk_own_plum"}"#;
        assert_eq!(masked_text(body.into(), &mut mask), r#"{"content":"my [masked 1]","id":"[masked 1]"}"#);
        assert_eq!(mask_url("/v1/posts/sk_own_plum", &mut mask), "/v1/posts/[masked 1]");
        assert_eq!(own.covered("a c2tfb3duX3BsdW0= b").as_deref(), Some("a [masked] b"));
        assert_eq!(own.covered("sk_other"), None);
        assert!(!format!("{own:?}").contains("plum"));
    }
}
