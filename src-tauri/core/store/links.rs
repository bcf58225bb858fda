//! The bodies that may tell where a post is live: of its events and of its fetches, newest first.

use sqlx::{Row, SqlitePool};

use super::packed::unpack;
use crate::{error::Result, ids::PostId};

const BODIES: [&str; 2] = [
    "SELECT b.coding, b.bytes FROM (SELECT counts, happened_ns FROM events WHERE resource = 'post:' || ?1 AND nature = 'real'
                                    ORDER BY first_ns DESC LIMIT 100) AS e JOIN bodies AS b ON b.seq = e.counts
     ORDER BY e.happened_ns DESC",
    "SELECT c.coding, c.bytes FROM observations AS o JOIN contents AS c ON c.hash = o.body
     WHERE o.id IN (SELECT observation FROM sightings WHERE resource = 'post:' || ?1)
     ORDER BY o.at_ns DESC LIMIT 20",
];

/// The bodies.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn bodies(pool: &SqlitePool, post: &PostId) -> Result<Vec<Vec<u8>>> {
    let mut bodies = Vec::new();
    for sql in BODIES {
        for row in sqlx::query(sql).bind(post.as_str()).fetch_all(pool).await? {
            bodies.push(unpack(row.get(0), row.get(1))?);
        }
    }
    Ok(bodies)
}
