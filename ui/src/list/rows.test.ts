import { beforeEach, expect, test } from 'vitest'

import { instantOf } from './place'
import { PAGE, Rows, type Source } from './rows.svelte'

/** A log whose rows are ids, newest first; a cursor is the id a page goes on after. */
interface Row {
  id: string
  says: string
}
let log: Row[]
let asked: (string | null)[]

const source = (restless = false): Source<Row> => ({
  id: (row) => row.id,
  restless,
  async page(after, limit) {
    asked.push(after)
    const from = after === null ? 0 : log.findIndex((row) => row.id === after) + 1
    const rows = log.slice(from, from + limit)
    return { rows, next: from + limit < log.length ? (rows.at(-1)?.id ?? null) : null }
  },
})

const row = (n: number): Row => ({ id: `r${n}`, says: '' })
const ids = (rows: Rows<Row>) => rows.all.map((r) => r.id)

beforeEach(() => {
  asked = []
  log = Array.from({ length: 1000 }, (_, i) => row(999 - i))
})

test('at the newest row the list follows', async () => {
  const rows = new Rows(source())
  await rows.refresh()
  log.unshift(row(1000))
  await rows.refresh()
  expect(ids(rows)[0]).toBe('r1000')
  expect(rows.fresh).toBe(0)
})

test('while the reader looks back nothing moves, rows are renewed in place and new ones counted', async () => {
  const rows = new Rows(source())
  await rows.refresh()
  rows.follow(false)
  const before = ids(rows)
  log.unshift(row(1000), row(1001))
  const moved = log.splice(log.findIndex((r) => r.id === 'r990'), 1)[0]
  if (moved) log.unshift({ ...moved, says: 'came again' })
  await rows.refresh()
  expect(ids(rows), 'the same rows in the same order').toEqual(before)
  expect(rows.all.find((r) => r.id === 'r990')?.says).toBe('came again')
  expect(rows.fresh).toBe(2)

  rows.follow(true)
  await rows.refresh()
  expect(ids(rows).slice(0, 3)).toEqual(['r990', 'r1000', 'r1001'])
  expect(rows.fresh).toBe(0)
})

test('however far one scrolls, five pages are held, and the way back is the way there', async () => {
  const rows = new Rows(source())
  await rows.refresh()
  rows.follow(false)
  for (let n = 0; n < 9; n++) await rows.older()
  expect(rows.all).toHaveLength(5 * PAGE)
  expect(ids(rows).at(-1)).toBe('r0')
  expect(rows.atEnd).toBe(true)
  expect(rows.atNewest).toBe(false)
  await rows.older()
  expect(asked, 'nothing is asked for behind the end').toHaveLength(10)

  for (let n = 0; n < 5; n++) await rows.newer()
  expect(rows.atNewest).toBe(true)
  expect(ids(rows)[0]).toBe('r999')
  expect(rows.all).toHaveLength(5 * PAGE)
  expect(rows.atEnd).toBe(false)
})

test('a row that moved up between two pages is shown once', async () => {
  const rows = new Rows(source())
  await rows.refresh()
  rows.follow(false)
  await rows.older()
  await rows.newer()
  expect(new Set(ids(rows)).size).toBe(rows.all.length)
})

test('rows that may move anywhere are read again on every held page', async () => {
  const rows = new Rows(source(true))
  await rows.refresh()
  rows.follow(false)
  await rows.older()
  log.unshift(row(1000))
  await rows.refresh()
  expect(ids(rows)[0]).toBe('r1000')
  expect(ids(rows), 'no gap and no row twice').toEqual(log.slice(0, 2 * PAGE).map((r) => r.id))
})

test('an answer that comes after a new start is thrown away', async () => {
  let let_go: (() => void) | undefined
  const slow: Source<Row> = {
    ...source(),
    page: () => new Promise((done) => (let_go = () => done({ rows: [row(1)], next: null }))),
  }
  const rows = new Rows(slow)
  const late = rows.refresh()
  await rows.reset(source())
  let_go?.()
  await late
  expect(ids(rows)[0]).toBe('r999')
})

/** A log of rows that came at instants of their own, some in bursts; pages begin after an id or at an instant. */
interface Timed extends Row {
  ms: number
}

function timed(count: number, when: (n: number) => number) {
  const all: Timed[] = Array.from({ length: count }, (_, n) => ({ ...row(n), ms: when(n) })).sort((a, b) => b.ms - a.ms)
  const asked: (string | null)[] = []
  const source: Source<Timed> = {
    id: (one) => one.id,
    at: (one) => one.ms,
    restless: false,
    async page(after, limit) {
      asked.push(after)
      const at = instantOf(after)
      const from = after === null ? 0 : at !== null ? all.findIndex((one) => one.ms <= at) : all.findIndex((one) => one.id === after) + 1
      const rows = from < 0 ? [] : all.slice(from, from + limit)
      return { rows, next: from >= 0 && from + limit < all.length ? (rows.at(-1)?.id ?? null) : null }
    },
  }
  return { all, source, asked }
}

/** True if the held rows are a run of the log without a gap. */
function unbroken(rows: Rows<Timed>, all: readonly Timed[]): boolean {
  const first = all.findIndex((one) => one.id === rows.all[0]?.id)
  return first >= 0 && rows.all.every((one, n) => one.id === all[first + n]?.id)
}

test.each<[string, (n: number) => number]>([
  ['evenly', (n) => n * 1000],
  ['in bursts', (n) => Math.floor(n / 70) * 3_600_000 + (n % 70)],
  ['after a long rest', (n) => (n < 4000 ? n * 10 : 10_000_000_000 + n)],
])('one can go to any time of rows that came %s, and from there to the newest and back without a gap', async (_, when) => {
  const { all, source, asked } = timed(5000, when)
  const rows = new Rows(source)
  await rows.refresh()
  const wanted = all[3210]
  await rows.goTo((wanted?.ms ?? 0) + 0.5)
  expect(rows.all[0]?.ms, 'it begins with what came then').toBe(wanted?.ms)
  expect(rows.atNewest).toBe(false)
  for (let n = 0; n < 200 && !rows.atNewest; n++) {
    await rows.newer()
    expect(unbroken(rows, all)).toBe(true)
    expect(rows.all.length, 'memory stays').toBeLessThanOrEqual(5 * PAGE)
  }
  expect(rows.atNewest).toBe(true)
  expect(rows.all[0]?.id).toBe(all[0]?.id)
  expect(asked.length, 'the place above is found in few steps').toBeLessThan(600)
  for (let n = 0; n < 6; n++) await rows.older()
  expect(unbroken(rows, all)).toBe(true)
})

test('a time before the log leads to its oldest rows, one after it to its newest', async () => {
  const { all, source } = timed(300, (n) => 1_000_000 + n * 1000)
  const rows = new Rows(source)
  await rows.goTo(5)
  expect(rows.all.at(-1)?.id).toBe(all.at(-1)?.id)
  await rows.goTo(9_000_000)
  expect(rows.all[0]?.id).toBe(all[0]?.id)
})

test('where one went, nothing moves while rows come in, and none is counted as new above it', async () => {
  const { all, source } = timed(1000, (n) => n * 1000)
  const rows = new Rows(source)
  await rows.refresh()
  await rows.goTo(500_000)
  const before = rows.all.map((one) => one.id)
  all.unshift({ id: 'fresh', says: '', ms: 2_000_000 })
  await rows.refresh()
  rows.follow(true)
  await rows.refresh()
  expect(rows.all.map((one) => one.id)).toEqual(before)
})
