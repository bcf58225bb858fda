//! Files that a person adds. Every piece of a file becomes lines or a reason; a line can be written down and is read
//! back as the same line, as it is and with its secrets covered.

use reprise_core::{
    export,
    import::{
        lines::{self, Line},
        source::{self, FileKind},
    },
    pozy::secrecy::{Mask, Own},
    secrets::Secret,
};

use super::{CONTRACTS, NOW, OWN_SECRET};

pub(super) fn log_lines(bytes: &[u8]) {
    file(bytes, FileKind::LogLines);
}

pub(super) fn har(bytes: &[u8]) {
    file(bytes, FileKind::Har);
}

pub(super) fn table(bytes: &[u8]) {
    file(bytes, FileKind::Table);
}

pub(super) fn delivery_log(bytes: &[u8]) {
    file(bytes, FileKind::DeliveryLog);
}

pub(super) fn curl(bytes: &[u8]) {
    file(bytes, FileKind::Curl);
}

pub(super) fn requests(bytes: &[u8]) {
    file(bytes, FileKind::Requests);
}

pub(super) fn n8n(bytes: &[u8]) {
    file(bytes, FileKind::N8n);
}

fn written(line: &Line) -> String {
    lines::write(line).expect("a line has a JSON form")
}

fn file(bytes: &[u8], kind: FileKind) {
    if source::look(bytes).kind != kind {
        return;
    }
    let all = source::all_lines(bytes, &CONTRACTS[0], NOW);
    assert!(all.len() <= bytes.len() + 1, "no more lines than bytes");
    let mut before = 1;
    let mut own = Own::default();
    own.add(&Secret::new(OWN_SECRET).unwrap());
    for (number, line) in all {
        assert!(number >= before && number <= bytes.len() + 1, "pieces are numbered in their order");
        before = number;
        let mut line = match line {
            Ok(line) => line,
            Err(why) => {
                assert!(!why.is_empty() && why.len() < 400, "a short reason: {why}");
                continue;
            }
        };
        let text = written(&line);
        assert!(!text.contains('\n'), "one line");
        let again = lines::read(&text).unwrap_or_else(|why| panic!("{why}: {text}"));
        assert_eq!(written(&again), text, "a line is read back as it was written");

        export::cover(&mut line, &mut Mask::knowing(&own));
        let covered = written(&line);
        let leaves = own.covered(&covered);
        assert!(!leaves.as_deref().unwrap_or(&covered).contains(OWN_SECRET), "the own secret leaves: {covered}");
        let again = lines::read(&covered).unwrap_or_else(|why| panic!("{why}: {covered}"));
        assert_eq!(written(&again), covered, "a covered line is read back as it was written");
    }
}
