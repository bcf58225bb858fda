// The lines of the posts list: a heading for each group, a row for each job.

import type { ListItem } from '../list/item'
import type { JobRow } from '../wire/wire'

/** A line of the posts list. */
export type PostItem = ListItem & ({ kind: 'group'; group: string } | { kind: 'post'; row: JobRow })

/** All lines, in the order the core gives: needs you, under way, done. */
export function postItems(rows: readonly JobRow[]): PostItem[] {
  const items: PostItem[] = []
  let group = ''
  for (const row of rows) {
    if (row.group !== group) {
      group = row.group
      items.push({ kind: 'group', key: `group ${group}`, group, height: 32, level: 1, choosable: false, expanded: null })
    }
    items.push({ kind: 'post', key: row.job, row, height: 42, level: 1, choosable: true, expanded: null, drag: row.job })
  }
  return items
}
