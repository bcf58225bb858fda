// What the screens work out from a job's row.

import type { JobRow } from '../wire/wire'
import type { KeyLife } from './keyclock'

/** The life of a job's key; null if there is no key, it was never used, or the log cannot tell when. */
export function lifeOf(row: JobRow): KeyLife | null {
  if (row.key === null || !row.key_since || !row.key_expires) return null
  const ends = row.key_expires.ms
  return { since: row.key_since.ms, byItself: row.safe_until?.ms ?? ends, ends }
}
