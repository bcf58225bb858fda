//! A case as one page for people: opens without a network, needs no script, follows light and dark, and prints.

use super::{
    case_file::CaseLines,
    says::Proof,
    verdict::{Answer, RULES},
};
use crate::{clock::Moment, inbound::cause::Confidence};

const STYLE: &str = "
:root{color-scheme:light dark;--ground:#fff;--ink:#1c1f23;--soft:#565d66;--line:#d5d9de;--card:#f5f6f8}
@media (prefers-color-scheme:dark){:root{--ground:#16181b;--ink:#e8eaed;--soft:#a5acb5;--line:#3a3f46;--card:#1f2226}}
*{box-sizing:border-box}
body{margin:0 auto;padding:24px;max-width:960px;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
h1{font-size:24px;line-height:1.3;margin:0 0 4px}h2{font-size:17px;margin:28px 0 8px}p{margin:6px 0}
.soft{color:var(--soft)}.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 18px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 16px;margin:12px 0 0}dt{color:var(--soft)}dd{margin:0}
table{border-collapse:collapse;width:100%;table-layout:fixed}
th,td{text-align:left;vertical-align:top;padding:6px 8px;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th{color:var(--soft);font-weight:600}.at{width:23%}.kind{width:12%}.name{width:17%}.role{width:11%}
code,pre{font:12px/1.5 ui-monospace,monospace}pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:8px 0}
@media print{@page{size:A4;margin:14mm}:root{--ground:#fff;--ink:#000;--soft:#333;--line:#999;--card:#fff}
body{padding:0;max-width:none;font-size:10pt}tr,.card{break-inside:avoid}thead{display:table-header-group}}
";

/// Writes the page. `lines` is what the case file holds; they stand at its end, folded.
#[must_use]
pub fn page(answer: &Answer, lines: &CaseLines, now: Moment) -> String {
    let mut page = String::new();
    let headline = text(&answer.headline);
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
        ("What to do now", text(&answer.next)),
    ];
    let facts: String = facts.iter().map(|(name, what)| format!("<dt>{name}</dt><dd>{what}</dd>")).collect();
    page.push_str(&format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>Why twice? {headline}</title><style>{STYLE}</style></head><body><main>\
         <p class=\"soft\">Why twice?</p><h1>{headline}</h1>\
         <div class=\"card\"><p>{}</p><dl>{facts}</dl></div>",
        text(&answer.says)
    ));
    page.push_str("<h2>Proof</h2>");
    if answer.proof.is_empty() {
        page.push_str("<p>There is no row about it.</p>");
    } else {
        page.push_str(
            "<table><thead><tr><th class=\"at\">When (UTC)</th><th class=\"kind\">What</th><th class=\"name\">Which</th>\
             <th class=\"role\">Role</th><th>What it says</th></tr></thead><tbody>",
        );
        answer.proof.iter().for_each(|row| page.push_str(&proof(row)));
        page.push_str("</tbody></table>");
    }
    let also: Vec<_> = answer.also.iter().map(|other| other.says.clone()).collect();
    for (title, items) in [("What is missing", &answer.missing), ("What else fits", &also)] {
        if !items.is_empty() {
            let items: String = items.iter().map(|item| format!("<li>{}</li>", text(item))).collect();
            page.push_str(&format!("<h2>{title}</h2><ul>{items}</ul>"));
        }
    }
    page.push_str(&format!(
        "<h2>Log lines</h2><p>Lines: {}. Masked places: {}. A placeholder such as [masked 1] stands where a secret was.</p>\
         <details><summary>Show the lines</summary><pre>",
        lines.lines.len(),
        lines.masked
    ));
    for line in &lines.lines {
        page.push_str(&text(line));
        page.push('\n');
    }
    page.push_str(&format!(
        "</pre></details><p class=\"soft\">Reprise {}, rules {RULES}, written {now}.</p></main></body></html>\n",
        env!("CARGO_PKG_VERSION")
    ));
    page
}

fn proof(row: &Proof) -> String {
    let role = if row.needed { "needed" } else { "supports" };
    format!(
        "<tr><td>{}</td><td>{}</td><td><code>{}</code></td><td>{role}</td><td>{}</td></tr>",
        row.at,
        row.kind.words(),
        text(&row.name),
        text(&row.text)
    )
}

/// Text as it may stand in a page.
fn text(plain: &str) -> String {
    let mut safe = String::with_capacity(plain.len());
    for c in plain.chars() {
        match c {
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
    use crate::{
        inquiry::{evidence::Evidence, verdict::judge},
        pozy::contract::Contract,
    };

    #[test]
    fn nothing_from_a_log_becomes_part_of_the_page() {
        let mut answer = judge(&Evidence::default(), &Contract::shipped("pozy").unwrap());
        answer.says = "<script>alert(1)</script> & \"quoted\"".to_owned();
        let lines = CaseLines { lines: vec!["{\"text\":\"</pre><img src=x>\"}".to_owned()], masked: 3 };
        let page = page(&answer, &lines, Moment::from_millis(0));
        assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quoted&quot;"));
        assert!(page.contains("Masked places: 3."));
    }
}
