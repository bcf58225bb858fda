//! A case as one page for people: opens without a network, needs no script, follows light and dark, and prints on A4
//! with every column whole.

use super::{
    Case,
    case_file::CaseLines,
    evidence::Evidence,
    says::Proof,
    verdict::{Answer, RULES},
};
use crate::{clock::Moment, inbound::cause::Confidence, signs::steers};

/// Percent widths with a fixed layout: no content, however long, moves a column off the paper.
const STYLE: &str = "
:root{color-scheme:light dark;--ground:#fff;--ink:#1c1f23;--soft:#565d66;--line:#d5d9de;--card:#f5f6f8}
@media (prefers-color-scheme:dark){:root{--ground:#16181b;--ink:#e8eaed;--soft:#a5acb5;--line:#3a3f46;--card:#1f2226}}
*{box-sizing:border-box}
body{margin:0 auto;padding:24px;max-width:960px;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
h1{font-size:24px;line-height:1.3;margin:0 0 4px}h2{font-size:17px;margin:28px 0 8px}p{margin:6px 0}ul,ol{padding-left:22px}
h1,p,li,dd{overflow-wrap:anywhere}
.soft{color:var(--soft)}.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 18px}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:4px 16px;margin:12px 0 0}dt{color:var(--soft)}dd{margin:0}
table{border-collapse:collapse;width:100%;table-layout:fixed;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:6px 8px 6px 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th{color:var(--soft);font-weight:600}.at{width:22%}.kind{width:11%}.name{width:18%}.role{width:10%}
code,pre{font:12px/1.5 ui-monospace,monospace}pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:8px 0}
.paper{display:none}.odd::before{content:attr(data-sign);border:1px solid var(--line);border-radius:3px;padding:0 2px;font-size:80%}
@media print{@page{size:A4;margin:14mm}:root{--ground:#fff;--ink:#000;--soft:#333;--line:#999;--card:#fff}table{font-size:8.5pt;line-height:1.35}th,td{padding:3px 6px 3px 0}
body{padding:0;max-width:none;font-size:10pt}td code{font-size:7.5pt}tr,.card{break-inside:avoid}h2{break-after:avoid}
thead{display:table-header-group}.screen{display:none}.paper{display:block}}
";

/// Writes the page. `lines` is what the case file holds; they stand at its end, folded, and are not printed.
#[must_use]
pub fn page(case: &Case, lines: &CaseLines, now: Moment) -> String {
    let answer = &case.answer;
    let headline = text(&answer.headline);
    let title = text(&answer.headline.replace(steers, "\u{fffd}"));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>Why twice? {title}</title><style>{STYLE}</style></head><body><main>\
         <p class=\"soft\">Why twice?</p><h1>{headline}</h1>\
         <div class=\"card\"><p>{}</p><dl>{}</dl></div>",
        text(&answer.says),
        facts(answer)
    );
    page.push_str("<h2>What to do next</h2><ol>");
    for step in std::iter::once(answer.next.as_str()).chain(answer.verdict.tell()) {
        page.push_str(&format!("<li>{}</li>", text(step)));
    }
    page.push_str("</ol><h2>Proof</h2>");
    if answer.proof.is_empty() {
        page.push_str("<p>There is no row about it.</p>");
    } else {
        page.push_str(
            "<table><thead><tr><th class=\"at\">When (UTC)</th><th class=\"kind\">What</th><th class=\"name\">Which</th>\
             <th class=\"role\">Role</th><th>What it says</th></tr></thead><tbody>",
        );
        for proof in &answer.proof {
            row(&mut page, proof, Some(if proof.needed { "needed" } else { "supports" }));
        }
        page.push_str("</tbody></table>");
    }
    let also: Vec<_> = answer.also.iter().map(|other| other.says.clone()).collect();
    for (title, items) in [("What is missing", &answer.missing), ("What else fits", &also)] {
        if !items.is_empty() {
            let items: String = items.iter().map(|item| format!("<li>{}</li>", text(item))).collect();
            page.push_str(&format!("<h2>{title}</h2><ul>{items}</ul>"));
        }
    }
    all_rows(&mut page, &case.evidence);
    log_lines(&mut page, lines);
    page.push_str(&format!(
        "<p class=\"soft\">Reprise {}, rules {RULES}, written {now}.</p></main></body></html>\n",
        env!("CARGO_PKG_VERSION")
    ));
    page
}

fn facts(answer: &Answer) -> String {
    let (bars, sure) = match answer.confidence {
        Confidence::High => ("▮▮▮", "high"),
        Confidence::Medium => ("▮▮▯", "medium"),
        Confidence::Low => ("▮▯▯", "low"),
    };
    let posts: Vec<_> = answer.posts.iter().map(|post| format!("<code>{}</code>", text(post.as_str()))).collect();
    let posts = if posts.is_empty() { "none is known".to_owned() } else { posts.join(", ") };
    let facts = [
        ("Confidence", format!("<span aria-hidden=\"true\">{bars}</span> {sure}")),
        ("Posts, oldest first", posts),
        ("Whose side", text(answer.side.words())),
        ("Can it happen again?", text(&answer.again)),
        ("How to prevent it", text(&answer.prevent)),
    ];
    facts.iter().map(|(name, what)| format!("<dt>{name}</dt><dd>{what}</dd>")).collect()
}

/// Every row of the case in words, by time.
fn all_rows(page: &mut String, evidence: &Evidence) {
    let tries = evidence.attempts.iter().map(Proof::from);
    let told = evidence.events.iter().map(Proof::from).chain(evidence.arrivals.iter().map(Proof::from));
    let seen = evidence.observations.iter().map(Proof::from).chain(evidence.notes.iter().map(Proof::from));
    let mut rows: Vec<Proof> = tries.chain(told).chain(seen).collect();
    if rows.is_empty() {
        return;
    }
    rows.sort_by_key(|row| (row.at, row.kind));
    page.push_str(&format!(
        "<h2>Everything in this case</h2><p class=\"soft\">Rows: {}.</p><table><thead><tr><th class=\"at\">When (UTC)</th>\
         <th class=\"kind\">What</th><th class=\"name\">Which</th><th>What it says</th></tr></thead><tbody>",
        rows.len()
    ));
    for one in &rows {
        row(page, one, None);
    }
    page.push_str("</tbody></table>");
}

/// The lines that Reprise reads, and what in them is masked.
fn log_lines(page: &mut String, lines: &CaseLines) {
    page.push_str(&format!(
        "<h2>Log lines</h2><p>Lines: {}. Masked places: {}. A placeholder such as [masked 1] stands where a secret was; \
         the same secret has the same number everywhere in this file.</p>",
        lines.lines.len(),
        lines.masked
    ));
    if !lines.kinds.is_empty() {
        page.push_str("<ul>");
        for (kind, covered) in &lines.kinds {
            let placeholders: Vec<String> = covered.placeholders().collect();
            page.push_str(&format!("<li>{}: {}</li>", text(kind), text(&placeholders.join(", "))));
        }
        page.push_str("</ul>");
    }
    page.push_str(
        "<p class=\"paper soft\">The lines themselves stand in this page as a file and in the file beside it; they are \
         not printed.</p><details class=\"screen\"><summary>Show the lines</summary><pre>",
    );
    for line in &lines.lines {
        page.push_str(&text(line));
        page.push('\n');
    }
    page.push_str("</pre></details>");
}

fn row(page: &mut String, row: &Proof, role: Option<&str>) {
    page.push_str(&format!(
        "<tr><td>{}</td><td>{}</td><td><code>{}</code></td>",
        row.at,
        row.kind.words(),
        text(&row.name)
    ));
    if let Some(role) = role {
        page.push_str(&format!("<td>{role}</td>"));
    }
    page.push_str(&format!("<td>{}</td></tr>", text(&row.text)));
}

/// Text as it may stand in a page. A sign that steers is shown by its number, and turns nothing around: it is alone in a
/// part of its own, in which it stays for whoever copies the text.
fn text(plain: &str) -> String {
    let mut safe = String::with_capacity(plain.len());
    for c in plain.chars() {
        match c {
            c if steers(c) => {
                safe.push_str(&format!("<bdi class=\"odd\" data-sign=\"U+{:04X}\">{c}</bdi>", u32::from(c)))
            }
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{inquiry::verdict::judge, pozy::contract::Contract};

    #[test]
    fn nothing_from_a_log_becomes_part_of_the_page() {
        let evidence = Evidence::default();
        let mut answer = judge(&evidence, &Contract::shipped("pozy").unwrap());
        answer.says = "<script>alert(1)</script> & \"quoted\"".to_owned();
        let lines =
            CaseLines { lines: vec!["{\"text\":\"</pre><img src=x>\"}".to_owned()], masked: 3, ..CaseLines::default() };
        let page = page(&Case { evidence, answer }, &lines, Moment::from_millis(0));
        assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quoted&quot;"));
        assert!(page.contains("Masked places: 3."));
    }

    #[test]
    fn a_sign_that_turns_text_around_is_shown_and_turns_nothing() {
        assert_eq!(text("a\u{202e}b"), "a<bdi class=\"odd\" data-sign=\"U+202E\">\u{202e}</bdi>b");
        assert_eq!(text("\u{1b}[2J"), "<bdi class=\"odd\" data-sign=\"U+001B\">\u{1b}</bdi>[2J");
        assert_eq!(text("two\nlines \u{5e9}\u{5dc}"), "two\nlines \u{5e9}\u{5dc}");
    }
}
