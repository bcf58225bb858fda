import { expect, test } from 'vitest'

import { chosenOf, filterOf, progress, termsOf } from './eventfilter'

const NOW = Date.parse('2026-11-06T08:00:00Z')

test('what an address says is chosen, and nothing it makes up', () => {
  const query = new Map([
    ['only', 'late'],
    ['cause', 'bad_luck'],
    ['late', '10m'],
    ['span', 'year'],
    ['from', '2026-02-30'],
    ['to', '2026-11-05'],
    ['platform', 'linkedin'],
    ['event', 'ev_1'],
  ])
  const chosen = chosenOf(query)
  expect(chosen).toEqual({ only: 'late', late: '10m', to: '2026-11-05', platform: 'linkedin' })
  expect(termsOf(chosen)).toEqual(['platform', 'late', 'to'])
})

test('a chip alone asks for no look through the log', () => {
  expect(filterOf({ only: 'copies' }, NOW, 'UTC')).toBeNull()
  expect(filterOf({ text: '  ' }, NOW, 'UTC')).toBeNull()
})

test('days are those of the shown zone, both in the stretch, also where the clocks change', () => {
  expect(filterOf({ from: '2026-11-05', to: '2026-11-05' }, NOW, 'Europe/Paris')).toEqual({
    from_ms: Date.parse('2026-11-04T23:00:00Z'),
    to_ms: Date.parse('2026-11-05T23:00:00Z') - 1,
  })
  const change = filterOf({ from: '2026-10-25', to: '2026-10-25' }, NOW, 'Europe/Paris')
  expect((change?.to_ms ?? 0) - (change?.from_ms ?? 0) + 1).toBe(25 * 3_600_000)
})

test('a stretch back from now goes before days', () => {
  expect(filterOf({ span: 'hour', from: '2026-11-05', late: '1h' }, NOW, 'UTC')).toEqual({ from_ms: NOW - 3_600_000, late_ms: 3_600_000 })
})

test('progress goes from the newest row to the oldest', () => {
  expect(progress(1000, 1000, 0)).toBe(0)
  expect(progress(1000, 250, 0)).toBe(0.75)
  expect(progress(1000, null, 0)).toBeNull()
})
