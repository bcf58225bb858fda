// Bulks for tests of the screens.

import type { BulkAccount, BulkDetail, BulkGroupRow } from '../wire/wire'
import { before } from './rows'

/** A bulk of which nothing ran. */
export function bulkAccount(change: Partial<BulkAccount> = {}): BulkAccount {
  return {
    of: 0,
    over: 0,
    under_way: 0,
    open: 0,
    left_ms: null,
    as_foretold: 0,
    differed: 0,
    changed: 0,
    unsettled: 0,
    left_alone: 0,
    posts_created: 0,
    second_live: 0,
    ...change,
  }
}

/** A group, as told. */
export function bulkGroup(change: Partial<BulkGroupRow> & Pick<BulkGroupRow, 'group'>): BulkGroupRow {
  return { jobs: 1, account: bulkAccount(), runs: false, needs_reason: false, chosen: false, reason: null, ...change }
}

/** A bulk that was planned, as told. */
export function bulkDetail(change: Partial<BulkDetail> = {}): BulkDetail {
  return {
    bulk: 'bulk_5eed1234',
    created: before(1),
    workspace: 'Harbour Events',
    filter: {},
    state: 'planned',
    at_work: false,
    why: null,
    at_once: 3,
    jobs: 1,
    groups: [],
    account: bulkAccount(),
    held_until: null,
    ...change,
  }
}
