import { expect, test } from 'vitest'

import { bulkAccount, bulkDetail, bulkGroup } from '../testing/bulk'
import { groupWords } from '../words/bulk'
import { asked, filterOf, firstChoices, hoursOf, lacksReason, runs, toDo } from './bulk'

const bulk = bulkDetail({
  groups: [
    bulkGroup({ group: 'ask_again', jobs: 3, runs: true }),
    bulkGroup({ group: 'look_first', jobs: 2 }),
    bulkGroup({ group: 'post_again', jobs: 1, runs: true, needs_reason: true }),
  ],
})

test('what makes a new post is never chosen by itself', () => {
  const choices = firstChoices(bulk)
  expect([...choices.on]).toEqual(['ask_again'])
  expect(toDo(bulk, choices)).toBe(3)
  expect(lacksReason(bulk, choices)).toBeNull()
})

test('a group that makes new posts waits for a reason of more than blanks', () => {
  const on = new Set(['ask_again', 'post_again', 'look_first'] as const)
  expect(lacksReason(bulk, { on, reasons: { post_again: '  ' } })).toBe('post_again')
  const choices = { on, reasons: { post_again: ' The outage swallowed it ' } }
  expect(lacksReason(bulk, choices)).toBeNull()
  expect(asked(bulk, choices)).toEqual([
    { group: 'ask_again' },
    { group: 'post_again', reason: 'The outage swallowed it' },
  ])
  expect(toDo(bulk, choices), 'what is blocked is never counted').toBe(4)
})

test('what is over is not counted once more, and an ended bulk does not run', () => {
  const half = bulkDetail({ groups: [bulkGroup({ group: 'ask_again', jobs: 3, account: bulkAccount({ over: 2 }), runs: true })] })
  expect(toDo(half, firstChoices(half))).toBe(1)
  expect(runs(bulkDetail({ state: 'stopped' }))).toBe(false)
  expect(runs(bulkDetail({ state: 'running', at_work: true }))).toBe(false)
  expect(runs(bulkDetail({ state: 'running', at_work: false })), 'it was interrupted').toBe(true)
})

test.each([
  ['30', 30],
  [' 7 ', 7],
  ['0', null],
  ['1.5', null],
  ['', null],
  ['999999', null],
])('%j hours are %j', (text, hours) => {
  expect(hoursOf(text)).toBe(hours)
})

test('a filter holds what was chosen, and named jobs alone if there are any', () => {
  const wanted = { jobs: [], hours: '30', kinds: new Set([]), text: ' fair ', imported: false }
  expect(filterOf(wanted)).toEqual({ since_h: 30, text: 'fair' })
  expect(filterOf({ ...wanted, hours: 'soon' })).toBeNull()
  expect(filterOf({ ...wanted, jobs: ['job_1'] })).toEqual({ jobs: ['job_1'] })
})

test('headlines of groups have at most six words', () => {
  for (const { title } of Object.values(groupWords)) expect(title.split(' ').length).toBeLessThanOrEqual(6)
})
