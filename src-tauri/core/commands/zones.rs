//! The zones that posts are planned in, as their frozen bodies say.

use serde_json::Value;

use super::wire::{AccountZone, AccountZones, Nothing};
use crate::{desk::Desk, error::Result, store::contents};

/// Newest jobs whose bodies are read.
const LOOK: u32 = 120;

/// The zone of each account by the newest post that names one, and the zone named last of all.
pub(super) async fn account_zones(desk: &Desk, _: Nothing) -> Result<AccountZones> {
    let room = desk.room().await;
    let mut found = AccountZones { usual: None, accounts: Vec::new() };
    for body in contents::newest_of_jobs(room.store.pool(), LOOK).await? {
        let Ok(body) = serde_json::from_slice::<Value>(&body) else { continue };
        let Some(zone) = body["timezone"].as_str().filter(|zone| zone.parse::<chrono_tz::Tz>().is_ok()) else {
            continue;
        };
        found.usual.get_or_insert_with(|| zone.to_owned());
        for target in body["platforms"].as_array().into_iter().flatten() {
            let Some(account) = target["accountId"].as_str() else { continue };
            if found.accounts.iter().all(|known| known.account != account) {
                found.accounts.push(AccountZone { account: account.to_owned(), zone: zone.to_owned() });
            }
        }
    }
    Ok(found)
}
