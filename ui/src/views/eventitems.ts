// The lines of the events list: a heading for each day, a row for each event, and under an open one its arrivals.

import type { ListItem } from '../list/item'
import type { Clockface } from '../state/times'
import type { ArrivalRow, EventRow } from '../wire/wire'

/** A line of the events list. */
export type EventItem = ListItem &
  (
    | { kind: 'day'; day: string }
    | { kind: 'event'; row: EventRow }
    | { kind: 'arrival'; row: EventRow; arrival: ArrivalRow; first: ArrivalRow; last: boolean }
    | { kind: 'reading' }
  )

/** True if a row has more arrivals than one, and so can be opened. */
export function opens(row: EventRow): boolean {
  return row.event !== null && row.arrivals > 1
}

/** All lines, in order. Days are those of the clockface's zone, by last arrival like the rows themselves. */
export function eventItems(
  rows: readonly EventRow[],
  open: ReadonlyMap<string, readonly ArrivalRow[]>,
  face: Clockface,
): EventItem[] {
  const items: EventItem[] = []
  let day = ''
  for (const row of rows) {
    const date = face.date(row.last_arrived.ms)
    if (date !== day) {
      day = date
      const text = face.day(row.last_arrived.ms)
      items.push({ kind: 'day', key: `day ${date}`, day: text, height: 28, level: 1, choosable: false, expanded: null })
    }
    const arrivals = open.get(row.id)
    const expanded = opens(row) ? arrivals !== undefined : null
    const drag = row.event === null ? {} : { drag: row.event }
    items.push({ kind: 'event', key: row.id, row, height: 32, level: 1, choosable: true, expanded, ...drag })
    if (!arrivals) continue
    const base = { level: 2, choosable: true, expanded: null } as const
    const [first] = arrivals
    if (!first) items.push({ ...base, kind: 'reading', key: `${row.id} reading`, height: 28, choosable: false })
    else
      arrivals.forEach((arrival, i) => {
        const last = i === arrivals.length - 1
        const key = arrivalKey(row.id, arrival.seq)
        items.push({ ...base, kind: 'arrival', key, row, arrival, first, last, height: last ? 34 : 28 })
      })
  }
  return items
}

/** The key of an arrival's line. */
export function arrivalKey(row: string, seq: number): string {
  return `${row} arrival ${seq}`
}
