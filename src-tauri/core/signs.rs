//! Signs that cannot be seen and change how what stands around them is read. Pure.

/// True for what moves the cursor, changes colours, breaks a line, or turns the direction of what stands around it.
/// Plain line ends and tabs do not count.
#[must_use]
pub fn steers(sign: char) -> bool {
    sign.is_control() && !matches!(sign, '\n' | '\t')
        || matches!(sign, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
