//! One request on its way into the log: read, hashed and packed where it came in, so that the writing thread has
//! nothing left to do but write. Live and imported requests become the same thing here.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::verify::Verified;
use crate::{
    clock::Moment,
    ids::{EventId, ImportId, SessionId},
    pozy::{
        contract::Contract,
        envelope::{self, Reading, first_16},
        secrecy,
    },
    store::packed::{Packed, pack},
};

/// The status a stored arrival is answered with.
pub const STORED: u16 = 204;
/// The status of a quarantined one.
pub const QUARANTINED: u16 = 401;
/// The status of one over the size cap.
pub const TOO_LARGE: u16 = 413;

/// Hash of a body that has aged out before it came here: it differs from none.
pub const UNKNOWN_BODY: [u8; 16] = [0; 16];

/// Where an arrival came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Our receiver.
    Live(SessionId),
    /// A file.
    Imported(ImportId),
}

/// A request as it came.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// When it reached the receiver.
    pub at: Moment,
    /// Last part of the receiver's path.
    pub endpoint: &'a str,
    /// Headers in their order.
    pub headers: &'a [(String, String)],
    /// The raw body; none if it was over the size cap or was not kept.
    pub body: Option<&'a [u8]>,
    /// What verifying the body gave.
    pub verified: Verified,
}

/// What another log tells of a request besides the request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told {
    /// The status it was answered with there.
    pub answer: Option<u16>,
    /// How long the answer took, in milliseconds.
    pub took_ms: Option<i64>,
    /// It was set aside there, and its signature found valid after that.
    pub verified_later: bool,
}

impl Told {
    const fn later(self, verified: Verified) -> bool {
        self.verified_later && matches!(verified, Verified::Valid)
    }

    /// True if the request is set aside here too.
    #[must_use]
    pub fn is_bad(self, verified: Verified) -> bool {
        verified.is_bad() || self.answer == Some(QUARANTINED) && !self.later(verified)
    }
}

/// What an arrival is good for.
#[derive(Clone, Debug)]
pub enum Content {
    /// It makes or repeats an event.
    Event(Box<Reading>),
    /// Its signature is bad; the id it claims is shown, never taken.
    Quarantined(Option<EventId>),
    /// Its body cannot be read.
    Unreadable,
}

/// What a request alone says about itself (contract, "Judging").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrivalFlag {
    /// The id in the header is not the one in the body. The body's counts.
    IdMismatch,
    /// The body cannot be read.
    Unreadable,
    /// The body was over the size cap and is not kept.
    TooLarge,
    /// It was set aside when what is set aside had no room left, so its body is not kept.
    NoRoom,
    /// It was set aside at first: its signature checked out only after the secret or its settings were mended.
    VerifiedLater,
}

/// How far the body of an arrival is trusted to be what Pozy sent (design 3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
    /// It was imported.
    Imported,
    /// It came in live and could not be checked.
    LiveUnchecked,
    /// It came in live with a good signature.
    LiveSigned,
}

impl Trust {
    /// The number in the table.
    #[must_use]
    pub const fn number(self) -> i64 {
        match self {
            Self::Imported => 0,
            Self::LiveUnchecked => 1,
            Self::LiveSigned => 2,
        }
    }
}

/// A request ready to be recorded.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// When it reached the receiver.
    pub at: Moment,
    /// Where it came from.
    pub channel: Channel,
    /// Last part of the receiver's path.
    pub endpoint: String,
    /// What verifying gave.
    pub verified: Verified,
    /// The status decided on; none where an import does not say.
    pub answer: Option<u16>,
    /// How long the answer took, imports only, milliseconds.
    pub took_ms: Option<i64>,
    /// What it is good for.
    pub content: Content,
    /// Orders arrivals of one instant, the same on every computer.
    pub tie: [u8; 16],
    /// First 16 bytes of SHA-256 over the body; of no bytes if none is kept.
    pub body_hash: [u8; 16],
    /// Size of the body that is kept, bytes.
    pub body_len: i64,
    /// The body; none if none is kept.
    pub body: Option<Packed>,
    /// Headers as JSON pairs, packed where that is smaller.
    pub headers: Vec<u8>,
    /// What the request alone says about itself.
    pub flags: Vec<ArrivalFlag>,
}

impl Arrival {
    /// A request that our receiver took. Its answer is decided here: 204, 401 for a bad signature, 413 without a body.
    #[must_use]
    pub fn live(session: SessionId, request: &Request<'_>, contract: &Contract) -> Self {
        let content = content(request, request.verified.is_bad(), contract);
        let (few, short);
        let request = match content {
            Content::Event(_) => request,
            Content::Quarantined(_) | Content::Unreadable => {
                few = few_headers(request.headers, contract);
                short = Request { headers: &few, ..*request };
                &short
            }
        };
        let answer = match content {
            Content::Quarantined(_) => QUARANTINED,
            _ if request.body.is_none() => TOO_LARGE,
            _ => STORED,
        };
        Self::of(Channel::Live(session), request, content, Some(answer), None, contract)
    }

    /// A request that was set aside and whose signature checks out now. `headers` are those that were kept; what it was
    /// answered with stays, since that is what made the other side send it again.
    #[must_use]
    pub fn verified_later(
        session: SessionId,
        request: &Request<'_>,
        headers: Vec<u8>,
        answer: Option<u16>,
        contract: &Contract,
    ) -> Self {
        let content = content(request, false, contract);
        let mut arrival = Self::of(Channel::Live(session), request, content, answer, None, contract);
        arrival.headers = headers;
        arrival.flags.push(ArrivalFlag::VerifiedLater);
        arrival
    }

    /// A request that another log tells of. One that was answered 401 there is quarantined here too, unless it was
    /// `verified_later`.
    #[must_use]
    pub fn imported(import: ImportId, request: &Request<'_>, told: Told, contract: &Contract) -> Self {
        let content = content(request, told.is_bad(request.verified), contract);
        Self::told(import, request, content, told, contract)
    }

    /// A request that another log tells of, whose body has aged out there; `content` is what that log keeps of it.
    #[must_use]
    pub fn aged(
        import: ImportId,
        request: &Request<'_>,
        content: Content,
        body_len: i64,
        told: Told,
        contract: &Contract,
    ) -> Self {
        let arrival = Self::told(import, request, content, told, contract);
        Self { body_hash: UNKNOWN_BODY, body_len: body_len.max(1), ..arrival }
    }

    fn told(import: ImportId, request: &Request<'_>, content: Content, told: Told, contract: &Contract) -> Self {
        let mut arrival = Self::of(Channel::Imported(import), request, content, told.answer, told.took_ms, contract);
        if told.later(request.verified) {
            arrival.flags.push(ArrivalFlag::VerifiedLater);
        }
        arrival
    }

    fn of(
        channel: Channel,
        request: &Request<'_>,
        content: Content,
        answer: Option<u16>,
        took_ms: Option<i64>,
        contract: &Contract,
    ) -> Self {
        let body = request.body.unwrap_or_default();
        let mut flags = Vec::new();
        match &content {
            Content::Event(reading) if id_differs(request.headers, &reading.event, contract) => {
                flags.push(ArrivalFlag::IdMismatch);
            }
            Content::Unreadable => flags.push(ArrivalFlag::Unreadable),
            _ => {}
        }
        if request.body.is_none() && answer == Some(TOO_LARGE) {
            flags.push(ArrivalFlag::TooLarge);
        }
        Self {
            at: request.at,
            channel,
            endpoint: request.endpoint.to_owned(),
            verified: request.verified,
            answer,
            took_ms,
            content,
            tie: tie(request, answer),
            body_hash: body_hash(body),
            body_len: i64::try_from(body.len()).unwrap_or(i64::MAX),
            body: (!body.is_empty()).then(|| pack(body)),
            headers: pack(serde_json::json!(kept_headers(request.headers, contract)).to_string().as_bytes()).bytes,
            flags,
        }
    }

    /// The event it makes, repeats or claims.
    #[must_use]
    pub fn event(&self) -> Option<&EventId> {
        match &self.content {
            Content::Event(reading) => Some(&reading.event),
            Content::Quarantined(claimed) => claimed.as_ref(),
            Content::Unreadable => None,
        }
    }

    /// The hash of its body; none if that has aged out before it came here.
    #[must_use]
    pub fn known_body(&self) -> Option<[u8; 16]> {
        (self.body_hash != UNKNOWN_BODY).then_some(self.body_hash)
    }

    /// How far its body is trusted.
    #[must_use]
    pub const fn trust(&self) -> Trust {
        match (self.channel, self.verified) {
            (Channel::Imported(_), _) => Trust::Imported,
            (Channel::Live(_), Verified::Valid) => Trust::LiveSigned,
            (Channel::Live(_), _) => Trust::LiveUnchecked,
        }
    }
}

/// The headers as the log keeps them. A signature stays, whatever header the settings name, so that a quarantined
/// arrival can be verified again after the secret or the settings were mended; any other secret, such as a relay's
/// `Authorization`, never reaches the log (contract, last point).
fn kept_headers(headers: &[(String, String)], contract: &Contract) -> Vec<(String, String)> {
    let mut mask = secrecy::Mask::default();
    let kept = |(name, value): &(String, String)| {
        let signs = name.eq_ignore_ascii_case(&contract.signature.header) || is_signature(name);
        let masked = if signs { None } else { secrecy::masked_header(name, value, &mut mask) };
        (name.clone(), masked.unwrap_or_else(|| value.clone()))
    };
    headers.iter().map(kept).collect()
}

/// What a request that counts for nothing may keep of its headers, bytes: rows stay for good, so a flood of them must be
/// small.
const FEW: usize = 2 << 10;

/// The signature and the event's id, as far as they are of usual size, then the others in their order while there is room.
fn few_headers(headers: &[(String, String)], contract: &Contract) -> Vec<(String, String)> {
    let matters = |name: &str| {
        [&contract.signature.header, &contract.event_id_header].iter().any(|own| name.eq_ignore_ascii_case(own))
    };
    let (first, then): (Vec<_>, Vec<_>) = headers.iter().enumerate().partition(|(_, (name, _))| matters(name));
    let mut left = FEW;
    let mut kept: Vec<_> = first
        .into_iter()
        .chain(then)
        .filter(|(_, (name, value))| {
            let size = name.len() + value.len();
            let fits = size <= left;
            left -= if fits { size } else { 0 };
            fits
        })
        .collect();
    kept.sort_by_key(|(at, _)| *at);
    kept.into_iter().map(|(_, header)| header.clone()).collect()
}

/// True for the name of a header that signs a body. A signature tells nothing about the secret it was made with.
fn is_signature(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("signature") && !["token", "secret"].iter().any(|part| name.contains(part))
}

fn content(request: &Request<'_>, bad: bool, contract: &Contract) -> Content {
    let reading = request.body.and_then(|body| envelope::read(body, contract).ok());
    match (bad, reading) {
        (true, reading) => Content::Quarantined(reading.map(|reading| reading.event)),
        (false, Some(reading)) => Content::Event(Box::new(reading)),
        (false, None) => Content::Unreadable,
    }
}

/// First 16 bytes of SHA-256 over a body; what imports compare.
#[must_use]
pub fn body_hash(body: &[u8]) -> [u8; 16] {
    first_16(Sha256::new_with_prefix(body))
}

fn id_differs(headers: &[(String, String)], event: &EventId, contract: &Contract) -> bool {
    headers.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case(&contract.event_id_header)
            && !value.trim().is_empty()
            && value.trim() != event.as_str()
    })
}

/// Hash over what a log line of this arrival shows. Secrets in headers do not count, since an exported line has them
/// masked.
fn tie(request: &Request<'_>, answer: Option<u16>) -> [u8; 16] {
    let shown = |(name, value): &(String, String)| {
        (name.to_ascii_lowercase(), secrecy::shape_of_header(name, value).into_owned())
    };
    let mut headers: Vec<_> = request.headers.iter().map(shown).collect();
    headers.sort();
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hash.update(bytes.len().to_le_bytes());
        hash.update(bytes);
    };
    for (name, value) in &headers {
        part(name.as_bytes());
        part(value.as_bytes());
    }
    part(request.body.unwrap_or_default());
    part(request.verified.word().as_bytes());
    part(answer.map(|status| status.to_string()).unwrap_or_default().as_bytes());
    first_16(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = br#"{"id":"ev_body","event":"account.connected","timestamp":"2026-03-02T10:00:00Z","account":{"accountId":"ac"}}"#;

    fn request<'a>(headers: &'a [(String, String)], verified: Verified) -> Request<'a> {
        Request { at: Moment(5), endpoint: "pozy", headers, body: Some(BODY), verified }
    }

    fn header(name: &str, value: &str) -> Vec<(String, String)> {
        vec![("accept".into(), "*/*".into()), (name.into(), value.into())]
    }

    #[test]
    fn a_bad_signature_is_kept_apart_and_claims_its_id_only() {
        let pozy = Contract::shipped("pozy").unwrap();
        let arrival = Arrival::live(SessionId(1), &request(&[], Verified::Invalid), &pozy);
        assert_eq!(arrival.answer, Some(401));
        assert!(matches!(arrival.content, Content::Quarantined(Some(id)) if id.as_str() == "ev_body"));
        let told = Arrival::imported(
            ImportId(1),
            &request(&[], Verified::Unchecked),
            Told { answer: Some(401), ..Told::default() },
            &pozy,
        );
        assert!(matches!(told.content, Content::Quarantined(_)));
        let forged = Arrival::imported(
            ImportId(1),
            &request(&[], Verified::Invalid),
            Told { answer: Some(401), verified_later: true, ..Told::default() },
            &pozy,
        );
        assert!(matches!(forged.content, Content::Quarantined(_)), "only what was found valid counts");
        let later = Arrival::imported(
            ImportId(1),
            &request(&[], Verified::Valid),
            Told { answer: Some(401), verified_later: true, ..Told::default() },
            &pozy,
        );
        assert!(matches!(later.content, Content::Event(_)));
        assert_eq!(later.flags, [ArrivalFlag::VerifiedLater]);
    }

    #[test]
    fn secrets_in_headers_are_not_kept_but_the_signature_is() {
        let pozy = Contract::shipped("pozy").unwrap();
        let headers = [
            ("Authorization".to_owned(), "Bearer plum".to_owned()),
            ("X-Pozy-Signature".to_owned(), "5275fc".to_owned()),
            ("X-Other-Signature".to_owned(), "v1=00".to_owned()),
            ("X-Signature-Secret".to_owned(), "quince".to_owned()),
            ("accept".to_owned(), "*/*".to_owned()),
        ];
        let packed = Arrival::live(SessionId(1), &request(&headers, Verified::Valid), &pozy).headers;
        let kept: Vec<(String, String)> =
            serde_json::from_slice(&crate::store::packed::unpack_json(packed).unwrap()).unwrap();
        let values: Vec<_> = kept.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["[masked 1]", "5275fc", "v1=00", "[masked 2]", "*/*"]);
    }

    #[test]
    fn what_counts_for_nothing_keeps_few_headers_and_its_signature_among_them() {
        let pozy = Contract::shipped("pozy").unwrap();
        let mut headers: Vec<(String, String)> = (0..90).map(|n| (format!("x-{n}"), "a".repeat(600))).collect();
        headers.push(("X-Pozy-Signature".into(), "5275fc".into()));
        headers.push(("x-last".into(), "b".into()));
        let kept = |verified| {
            let packed = Arrival::live(SessionId(1), &request(&headers, verified), &pozy).headers;
            serde_json::from_slice::<Vec<(String, String)>>(&crate::store::packed::unpack_json(packed).unwrap())
                .unwrap()
        };
        let names: Vec<String> = kept(Verified::Invalid).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["x-0", "x-1", "x-2", "X-Pozy-Signature", "x-last"]);
        assert_eq!(kept(Verified::Valid).len(), headers.len());
    }

    #[test]
    fn the_id_header_only_warns() {
        let pozy = Contract::shipped("pozy").unwrap();
        let flags = |value| {
            let headers = header("X-POZY-event-id", value);
            Arrival::live(SessionId(1), &request(&headers, Verified::Valid), &pozy).flags
        };
        assert_eq!(flags("ev_other"), [ArrivalFlag::IdMismatch]);
        assert!(flags("ev_body").is_empty() && flags(" ").is_empty());
    }

    #[test]
    fn a_body_over_the_cap_leaves_no_body() {
        let pozy = Contract::shipped("pozy").unwrap();
        let request = Request { body: None, ..request(&[], Verified::Unchecked) };
        let arrival = Arrival::live(SessionId(1), &request, &pozy);
        assert_eq!((arrival.answer, &arrival.body), (Some(413), &None));
        assert_eq!(arrival.flags, [ArrivalFlag::Unreadable, ArrivalFlag::TooLarge]);
        let told = Arrival::imported(ImportId(1), &request, Told { answer: Some(413), ..Told::default() }, &pozy);
        assert_eq!((told.body_hash, told.tie), (arrival.body_hash, arrival.tie), "it comes back from an export");
    }

    #[test]
    fn ties_are_the_same_for_a_line_and_what_it_was_made_from() {
        let pozy = Contract::shipped("pozy").unwrap();
        let tie =
            |headers: &[(String, String)]| Arrival::live(SessionId(1), &request(headers, Verified::Valid), &pozy).tie;
        let mut turned = header("X-Pozy-Signature", "[masked 1]");
        turned.reverse();
        assert_eq!(tie(&header("x-pozy-signature", "5275fc")), tie(&turned));
        assert_ne!(tie(&header("x-connection", "one")), tie(&header("x-connection", "two")));
    }
}
