import { expect, test } from 'vitest'

import { Clockface } from '../state/times'
import { TimeScale } from './scale'
import { axisOf, offset } from './ticks'

const face = new Clockface('Europe/Paris')
const start = Date.parse('2026-11-05T07:58:30Z')
const MINUTE = 60_000

test('a zone is ahead of UTC by its offset of that day', () => {
  expect(offset(face, start)).toBe(3_600_000)
  expect(offset(face, Date.parse('2026-07-01T00:00:00Z'))).toBe(7_200_000)
  expect(offset(new Clockface('Asia/Kathmandu'), start)).toBe(20_700_000)
})

test('ticks stand at round times of the zone, apart from each other', () => {
  const { ticks, days } = axisOf(new TimeScale({ ms: start, x: 0, msPerPx: 1000 }), 900, face)
  const named = ticks.filter((t) => t.label !== null)
  expect(named.slice(0, 3).map((t) => t.label)).toEqual(['09:00', '09:02', '09:04'])
  for (let n = 1; n < named.length; n++) expect((named[n]?.x ?? 0) - (named[n - 1]?.x ?? 0)).toBeGreaterThan(59)
  expect(days.map((d) => d.label)).toEqual(['Thu 5 Nov'])
})

test('nothing stands in a fold, and behind it the new day is named', () => {
  const fold = { from: start + 10 * MINUTE, to: start + 24 * 60 * MINUTE, width: 40 }
  const scale = new TimeScale({ ms: start, x: 0, msPerPx: 1000 }, [fold])
  const { ticks, days } = axisOf(scale, 1200, face)
  for (const tick of ticks) expect(tick.ms > fold.from && tick.ms < fold.to).toBe(false)
  expect(days).toEqual([{ x: 6, label: 'Thu 5 Nov' }, { x: expect.closeTo(scale.x(fold.to) + 6, 3) as number, label: 'Fri 6 Nov' }])
})

test('whole days are named as days', () => {
  const { ticks, days } = axisOf(new TimeScale({ ms: start, x: 0, msPerPx: 1_000_000 }), 900, face)
  expect(days).toEqual([])
  const first = ticks.find((t) => t.label !== null)
  expect(first?.label).toBe('Fri 6 Nov')
  expect(face.time(first?.ms ?? 0)).toBe('00:00:00')
})
