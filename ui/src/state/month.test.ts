import { expect, test } from 'vitest'

import { moved, weeks } from './month'

test('a month begins on its weekday and holds all its days', () => {
  const november = weeks(2026, 11)
  expect(november[0]?.indexOf('2026-11-01'), 'a Sunday').toBe(6)
  expect(november.flat().filter((day) => day !== null)).toHaveLength(30)
  expect(november.every((week) => week.length === 7)).toBe(true)
  expect(weeks(2028, 2).flat()).toContain('2028-02-29')
})

test('days carry over months and years', () => {
  expect(moved('2026-12-31', 1)).toBe('2027-01-01')
  expect(moved('2026-03-01', -1)).toBe('2026-02-28')
})
