//! The log as others may have it: log lines in time order with every secret masked (contract, last point). Reading
//! them back gives the same events, attempts and judgements, masking apart.

use crate::{
    error::{Code, Error, Result},
    import::lines::{self, BodyField, Line},
    pozy::secrecy::{Mask, Own, mask_headers, mask_url, masked_bytes, masked_text},
    store::{Store, lines as rows},
};

/// Hands every log line to `give` as text without its line end, oldest first. The log is read twice, so that what is
/// masked in its last line is masked in its first. Returns how many places were masked.
///
/// # Errors
/// `Storage` if the log cannot be read, or what `give` returned.
pub async fn each_line(store: &Store, own: &Own, mut give: impl FnMut(&str) -> Result<()>) -> Result<usize> {
    let mut mask = Mask::knowing(own);
    rows::each(store.pool(), |mut line, source| {
        mask.meet(source);
        cover(&mut line, &mut mask);
        Ok(())
    })
    .await?;
    let mut mask = mask.again();
    rows::each(store.pool(), |mut line, source| {
        mask.meet(source);
        cover(&mut line, &mut mask);
        let text = lines::write(&line)
            .map_err(|cause| Error::caused(Code::Internal, "A line of the log has no JSON form.", cause))?;
        give(&text)
    })
    .await?;
    Ok(mask.count())
}

/// Masks what is secret in a line: headers, bodies, addresses, notes. True if a part of a request was among it, so that
/// it is not what was sent any more.
pub fn cover(line: &mut Line, mask: &mut Mask) -> bool {
    match line {
        Line::Arrival(line) => {
            mask_headers(&mut line.headers.0, mask);
            cover_body(&mut line.body, mask)
        }
        Line::Attempt(line) => {
            let before = mask.count();
            line.path = mask_url(&line.path, mask);
            let moved = mask.count() > before;
            if let Some(result) = &mut line.result {
                mask_headers(&mut result.headers.0, mask);
                cover_body(&mut result.body, mask);
            }
            cover_body(&mut line.body, mask) || moved
        }
        Line::Observation(line) => {
            line.path = mask_url(&line.path, mask);
            cover_body(&mut line.body, mask)
        }
        Line::Note(line) => {
            line.text = masked_text(std::mem::take(&mut line.text), mask);
            false
        }
    }
}

/// Masks inside a body. One without a secret keeps its very bytes. True if anything in it is masked.
fn cover_body(body: &mut BodyField, mask: &mut Mask) -> bool {
    let Ok(Some(bytes)) = body.bytes() else { return false };
    let before = mask.count();
    if let Some(masked) = masked_bytes(&bytes, mask) {
        *body = BodyField::of(Some(&masked));
    }
    mask.count() > before
}
