import { describe, expect, test } from 'vitest'

import { ago, Clockface, countdown, knownZone, left, span } from './times'

const NOV = Date.parse('2026-11-06T08:00:31.214Z')

describe('a clockface', () => {
  test('writes one instant in its own zone and names it', () => {
    const paris = new Clockface('Europe/Paris')
    expect(paris.full(NOV, NOV)).toBe('09:00:31 CET')
    expect(paris.exact(NOV)).toBe('09:00:31.214')
    expect(paris.day(NOV)).toBe('Fri 6 Nov')
    expect(new Clockface('UTC').full(NOV, NOV)).toBe('08:00:31 UTC')
  })

  test.each([
    ['Europe/London', Date.parse('2026-07-01T12:00:00Z'), 'BST'],
    ['America/New_York', NOV, 'EST'],
    ['Asia/Kathmandu', NOV, 'UTC+5:45'],
  ])('names %s', (zone, ms, name) => {
    expect(new Clockface(zone).name(ms)).toBe(name)
  })

  test('says the day of another day, by its own midnight', () => {
    const now = Date.parse('2026-11-06T00:10:00Z')
    const before = Date.parse('2026-11-05T23:30:00Z')
    expect(new Clockface('UTC').full(before, now)).toBe('Thu 5 Nov 23:30:00 UTC')
    expect(new Clockface('Europe/Paris').full(before, now)).toBe('00:30:00 CET')
    expect(new Clockface('UTC').brief(before, now)).toBe('Thu 23:30')
    expect(new Clockface('UTC').brief(before - 20 * 86_400_000, now)).toBe('16 Oct')
  })

  test('falls back to UTC, and says so, for a zone the engine does not know', () => {
    expect(knownZone('Middle/Earth')).toBe('UTC')
    expect(new Clockface('Middle/Earth').full(NOV, NOV)).toBe('08:00:31 UTC')
  })
})

test.each([
  [342, '342 ms'],
  [7400, '7.4 s'],
  [2000, '2 s'],
  [45_000, '45 s'],
  [410_000, '6 min 50 s'],
  [19_740_000, '5 h 29 min'],
  [86_400_000, '1 day'],
  [9 * 86_400_000 + 7_200_000, '9 days 2 h'],
  [-5, '0 ms'],
])('a span of %d ms is %s', (ms, said) => {
  expect(span(ms)).toBe(said)
})

test.each([
  [70_200_000, '19 h 30 min'],
  [21_720_000, '6 h 02 min'],
  [120_000, '2 min'],
  [59_999, 'under a minute'],
])('%d ms left are %s', (ms, said) => {
  expect(left(ms)).toBe(said)
})

test.each([
  [13_400, '0:14'],
  [299_000, '4:59'],
  [3_723_000, '1:02:03'],
  [-10, '0:00'],
])('%d ms count down as %s', (ms, said) => {
  expect(countdown(ms)).toBe(said)
})

test.each([
  [500, 'just now'],
  [9_900, '9 s ago'],
  [150_000, '2 min ago'],
  [5 * 86_400_000, '5 days ago'],
])('%d ms back is %s', (ms, said) => {
  expect(ago(ms)).toBe(said)
})
