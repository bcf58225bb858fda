//! The attacks, and what each of them gets.

use crate::trust::table::Fault;

macro_rules! attacks {
    ($($name:ident = $says:literal, $by:literal, $gets:literal;)*) => {
        /// Every attack that is tried.
        pub(crate) const ALL: &[Fault] = &[$(Fault { id: stringify!($name), says: $says, by: $by, gets: $gets },)*];
        $(pub(super) const $name: Fault = Fault { id: stringify!($name), says: $says, by: $by, gets: $gets };)*
    };
}

attacks! {
    REBINDING = "DNS rebinding on the screens", "foreign names in `Host`, with the pass", "403, nothing of the log";
    OTHER_SITE = "Requests to the screens from another site or port", "foreign `Origin`, `Sec-Fetch-Site`, with the pass", "403, nothing done";
    NO_PASS = "Requests to the screens without the pass", "none, guessed, of another port; each path", "403, nothing of the log";
    TOKEN = "One-time link guessed or used again", "1,000 guesses, then twice", "403; the honest link works once";
    OTHER_FILES = "Files beside the screens", "`..` in all spellings, with the pass", "404";
    CONTROL = "Control of the sandbox from a web page", "foreign `Host`, `Origin`, `Sec-Fetch-Site`", "403, nothing moved";
    ANY_HOST = "Receiver asked under any name and path", "`Host`, methods and paths of all kinds", "404 or 405, no data";
    OPEN_WORLD = "Listening beyond this computer without a secret", "0.0.0.0, ::, an address of the network, mapped ones", "refused before anything listens";
    FROM_A_PAGE = "Messages made up by a web page while no secret is set", "`Origin`, `Sec-Fetch-Site`", "403, no row";
    FORGED = "Forged messages", "signature missing, cut, of another body, secret or spelling", "401, set aside, moves nothing";
    BURNED = "Id of a coming message burned", "a forged message with it first", "the true one counts";
    REPLAYED = "True message sent again months later", "the same bytes and signature", "a copy, changes nothing";
    SLOW_HEAD = "Heads that never end", "600 connections, a byte each", "cut, once others need the place";
    SLOW_BODY = "Bodies that never end", "600 connections, half a body each", "cut, once others need the place";
    IDLE = "Connections that say nothing", "600 at once", "cut, once others need the place";
    HUGE_BODY = "Huge bodies", "5 MiB, 10 GiB by their head, chunks without end", "413 or cut, a row without body";
    FALSE_LENGTH = "Bodies shorter than they say", "closed after half of it", "no row, never a 2xx";
    HUGE_HEAD = "Huge heads", "1 MiB in one field, 5,000 fields, an address of 1 MiB", "4xx, no row";
    PIPELINED = "Requests that wait for no answer", "50 in one piece", "each stored and answered once";
    PACKED_BOMB = "Body that is small only while packed", "100 MB of zeros, `Content-Encoding`", "kept as it came, never unpacked";
    MALFORMED = "What is no HTTP", "17 kinds", "4xx or cut, no row that counts";
    ODD_JSON = "Signed bodies that no reader agrees on", "NUL, no UTF-8, 100,000 deep, doubled fields, endless numbers and names", "a row, moves nothing";
    FLOODED = "Disk filled with what counts for nothing", "100 MiB in forged bodies and heads", "64 MiB, then short rows that say so";
    STALLED = "Memory filled while the log cannot be written", "60 forged bodies of 1 MiB at once, their senders gone", "503 past 32 MiB; the others get a row each";
    TERMINAL = "Words that steer a terminal", "escape sequences, turned text, lines that look like rows", "shown as signs, on one line";
    PAGE = "Words that are a program", "script and turned text in the page of a case", "text; the page runs nothing and loads nothing";
    BAD_LINKS = "Addresses that do harm when opened", "`javascript:`, `file:`, `data:` and others as where a post is", "no link";
    CASE_NAMES = "Names that lead out of the folder", "cases and uploads called `../`, `/etc`, `CON`, 10,000 letters", "a name; the folder is of our making";
    LINKED_FILES = "Links laid into the data folder", "one in place of each file of it", "told; what they lead to stays";
    WRITTEN_OVER = "Files written over", "the log and other files as the page, the case, the backup", "refused";
    FILE_BOMBS = "Files that never end to be read", "200,000 deep, one line of 80 MB, a device", "bad lines, named; a device is refused";
    REDIRECTED = "Pozy sends our key elsewhere", "301, 302, 303, 307, 308 to another host", "never followed; the job stops";
    ENDLESS_ANSWER = "Answer without end", "chunks until we close", "cut at 1 MiB, known by its status";
    ODD_ANSWER = "Answers of the wrong kind", "HTML, packed zeros, a head of 1 MiB, cookies", "never a second post";
    ABSURD_TIMES = "Absurd times from Pozy", "`Retry-After` and `Date` of the years 1, 1970, 2200, 9999", "not believed; a usual wait";
    BENT_IDS = "Ids that bend a path", "`../`, `?`, line ends and 1 MB as the id of a post", "never part of a request";
}
