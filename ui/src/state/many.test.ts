import { expect, test } from 'vitest'

import type { ManyRow, ManySubmitted, RowState } from '../wire/wire'
import { many, stands, summary, when } from '../words/many'
import { type Core, Many, offers } from './many.svelte'

function row(line: number, change: Partial<ManyRow> = {}): ManyRow {
  return {
    line, job: null, text: 'Hay is cut.', accounts: ['ac_li'], scheduled_for: null, timezone: null, state: 'ready', effect: 'creates_first', risk: 'safe',
    because: [{ code: 'nothing_there', text: 'No post with these words is known on that account.' }], suggest: null, why: null, ...change,
  }
}

const LEFT: Partial<ManyRow> = { state: 'left_out', effect: 'creates_second', risk: 'blocked', because: [{ code: 'near_content', text: 'Differs by one character.' }] }

/** A core that takes every row, and says what was asked of it. */
function core(rows: ManyRow[], answers: (line: number, turn: number) => Partial<ManySubmitted> = () => ({})): Core & { asked: number[]; clock: number } {
  return {
    asked: [],
    clock: 0,
    look: () => Promise.resolve({ id: 'f1', rows, unknown_columns: [] }),
    send(args) {
      const line = args.lines[0] ?? 0
      this.asked.push(line)
      const told = rows.filter((one) => one.line === line).map((one) => ({ ...one, state: 'done' as RowState, job: `job_${line}` }))
      return Promise.resolve({ rows: told, wait_until: null, ...answers(line, this.asked.length) })
    },
    now() {
      return this.clock
    },
    rest(ms) {
      this.clock += ms
      return Promise.resolve()
    },
  }
}

test('what would go out is sent in the order of the file, and nothing else', async () => {
  const pozy = core([row(2), row(3, LEFT), row(4, { state: 'wrong', effect: null, risk: null }), row(5)])
  const file = new Many(pozy)
  await file.look('posts.csv', '')
  expect(file.ready).toEqual([2, 5])
  await file.send()
  expect(pozy.asked).toEqual([2, 5])
  expect(file.rows.map((one) => one.state)).toEqual(['done', 'left_out', 'wrong', 'done'])
  expect(file.progress).toBeNull()
})

test('a wait is for everybody, and the row that met it has its turn again', async () => {
  const pozy = core([row(2), row(3)], (_, turn) => (turn === 1 ? { wait_until: { ms: 30_000, text: '' } } : {}))
  const file = new Many(pozy)
  await file.look('posts.csv', '')
  await file.send()
  expect(pozy.asked).toEqual([2, 2, 3])
  expect(pozy.clock).toBe(30_000)
})

test('it stops after the row under way', async () => {
  const pozy = core([row(2), row(3)])
  const file = new Many(pozy)
  await file.look('posts.csv', '')
  const sending = file.send()
  file.stop()
  await sending
  expect(pozy.asked).toEqual([2])
  expect(file.stopped).toBe(true)
})

test('what could double is never offered for all at once', () => {
  const again = { state: 'left_out', effect: 'creates_again', risk: 'confirm' } as const
  const refused = { state: 'left_out', effect: 'refused_same_content', risk: 'confirm' } as const
  expect(offers([row(2, LEFT), row(3, again), row(4, again), row(5, refused), row(6)]).map(({ effect, count }) => [effect, count])).toEqual([['creates_again', 2]])
})

test('every state has a headline of at most six words and no code', () => {
  const states: RowState[] = ['ready', 'left_out', 'wrong', 'draft', 'waiting', 'sending', 'unknown', 'done', 'refused', 'stopped', 'cancelled']
  for (const state of states) {
    const { headline } = stands(row(2, { state }))
    expect(headline.split(' ').length, headline).toBeLessThanOrEqual(6)
    expect(headline).not.toMatch(/\d{3}/)
    expect(summary([row(2, { state })]), state).toMatch(/^one post: 1 [a-z ]+\.$/)
  }
  expect(stands(row(2, { state: 'unknown' })).headline).not.toMatch(/fail/i)
  expect(when(row(2))).toBe('at once')
  expect(when(row(2, { scheduled_for: '2031-05-06T09:00', timezone: 'Europe/Paris' }))).toBe('2031-05-06 09:00 Europe/Paris')
  expect(many.send(1)).toBe('Send one post')
})
