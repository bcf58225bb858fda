import { expect, test } from 'vitest'

import { eventRow } from '../testing/rows'
import type { EventRow, EventsPage, EventsPageArgs } from '../wire/wire'
import { merged, Scan } from './scan.svelte'

const at = (ms: number) => ({ ms, text: new Date(ms).toISOString() })
const row = (id: string, ms: number): EventRow => ({ ...eventRow(), id, event: id, last_arrived: at(ms) })
const ids = (rows: readonly EventRow[]): string[] => rows.map((one) => one.id)

test('rows of a look and rows known before stand once each, last arrival first', () => {
  const known = [row('c', 3), row('a', 1)]
  expect(ids(merged([row('d', 4), row('c', 3)], known))).toEqual(['d', 'c', 'a'])
  expect(ids(merged([], known))).toEqual(['c', 'a'])
})

/** A core whose look finds nothing in its first part; what `second` gives comes with the second. */
function core(second: () => EventRow[]): { asked: EventsPageArgs[]; desk: ConstructorParameters<typeof Scan>[0] } {
  const asked: EventsPageArgs[] = []
  const page = (rows: EventRow[], next: string | null, reached: number): EventsPage => ({ rows, next, looked: { reached: at(reached), oldest: at(0), newest_at: at(10), newest: 'n' } })
  const answer = (args: EventsPageArgs): EventsPage => {
    asked.push(args)
    if (args.indexed) return { rows: [row('known', 2)], next: null, looked: null }
    return args.after === undefined ? page([row('field', 9)], 'more', 8) : page(second(), null, 0)
  }
  const desk = { read: (_: string, args: EventsPageArgs) => Promise.resolve(answer(args)) } as unknown as ConstructorParameters<typeof Scan>[0]
  return { asked, desk }
}

test('what the index knows is shown at once, and the look ends with the whole', async () => {
  let meanwhile: string[] = []
  const { asked, desk } = core(() => {
    meanwhile = ids(scan.partial)
    return [row('known', 2)]
  })
  const scan: Scan = new Scan(desk, { filter: { text: 'hay' } })
  const page = await scan.source().page(null, 100)
  expect(asked[0]?.indexed, 'the index is asked first').toBe(true)
  expect(meanwhile, 'found by looking and known by the index').toEqual(['field', 'known'])
  expect(ids(page?.rows ?? [])).toEqual(['field', 'known'])
  expect(scan.done).toBe(true)
})

test('a look that is stopped keeps what the index knows', async () => {
  const { desk } = core(() => [])
  const scan = new Scan({ read: (name, args) => (scan.halt(), desk.read(name, args)) } as typeof desk, { filter: { text: 'hay' } })
  const stopped = scan.source().page(null, 100)
  const page = await stopped
  expect(ids(page?.rows ?? [])).toContain('known')
})

test('a filter without a text asks no index', async () => {
  const { asked, desk } = core(() => [])
  await new Scan(desk, { filter: { platform: 'x' } }).source().page(null, 100)
  expect(asked.some((args) => args.indexed)).toBe(false)
})

test('however much came meanwhile, what is held stays within bounds', async () => {
  let n = 0
  const held: number[] = []
  const read = (_: string, args: EventsPageArgs): Promise<EventsPage> => {
    const rows = Array.from({ length: args.limit ?? 0 }, () => row(`e${(n += 1)}`, n))
    // What came since the head was read has no end in sight.
    return Promise.resolve({ rows, next: 'more', looked: { reached: at(0), oldest: at(0), newest_at: at(10), newest: `n${n}` } })
  }
  const source = new Scan({ read } as unknown as ConstructorParameters<typeof Scan>[0], { filter: { platform: 'x' } }).source()
  for (let turn = 0; turn < 4; turn += 1) held.push((await source.page(null, 100))?.rows.length ?? 0)
  expect(Math.max(...held)).toBeLessThanOrEqual(100)
  expect(n, 'it ends').toBeLessThan(5_000)
})
