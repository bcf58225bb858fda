//! The last look at Pozy before an act that rests on what was stored some time ago (design 4.9).

use super::{
    connection::Connection,
    fetch,
    forecast::Risk,
    foretell::{Consent, Plan},
};
use crate::{
    clock::Clock,
    error::{Error, Result},
    store::Store,
};

/// Nothing that is not safe leaves on stored news alone: known posts are fetched first, and the forecast must stand. Nor
/// does what is safe only because a post of a message is taken for the lost try's own: once that post is known whole,
/// nothing new may come of the act unless it is still safe. Returns the word that covers the act from there on.
///
/// # Errors
/// `Refused` if `consent` does not cover what is foretold before or after the look, or if Pozy asked to be left alone;
/// `Storage`. Nothing was sent.
pub(super) async fn before(
    store: &Store,
    clock: &Clock,
    connection: &Connection,
    plan: &Plan,
    consent: Consent,
) -> Result<Consent> {
    let stored = plan.foretell(store, clock, &connection.contract).await?;
    consent.covers(&stored.forecast)?;
    let safe = stored.forecast.risk == Risk::Safe;
    let wanted = if safe { &stored.taken } else { &stored.posts };
    if wanted.is_empty() {
        return Ok(consent);
    }
    for post in wanted {
        fetch::fetch(store, clock, connection, post).await?;
    }
    let fetched = plan.foretell(store, clock, &connection.contract).await?;
    if fetched.accounts == stored.accounts {
        let forecast = fetched.forecast.clone();
        match forecast.risk {
            Risk::Safe if safe => return Ok(Consent::Safe),
            _ if safe && !forecast.makes() => return Ok(Consent::Forecast(forecast)),
            _ if forecast.same_as(&stored.forecast) => return Ok(consent),
            _ => {}
        }
    }
    Err(Error::refused(format!(
        "Pozy says otherwise than the log did, so nothing was sent. Now `{}` is foretold: {}",
        fetched.forecast.effect.word(),
        fetched.forecast.says()
    )))
}
