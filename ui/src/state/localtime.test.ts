import { expect, test } from 'vitest'

import { meaning, wallTime } from './localtime'

test('an ordinary time is one instant, by the offset of that day', () => {
  expect(meaning('2026-11-05T09:00', 'Europe/Paris')).toEqual({ kind: 'once', ms: Date.parse('2026-11-05T08:00Z') })
  expect(meaning('2026-07-05T09:00', 'Europe/Paris')).toEqual({ kind: 'once', ms: Date.parse('2026-07-05T07:00Z') })
  expect(meaning('2026-11-05T09:00', 'Asia/Kathmandu')).toEqual({ kind: 'once', ms: Date.parse('2026-11-05T03:15Z') })
})

test('a time the clocks jump over is never picked', () => {
  expect(meaning('2027-03-28T02:30', 'Europe/Paris')).toEqual({ kind: 'never', before: '01:59', after: '03:00' })
  expect(meaning('2027-03-14T02:00', 'America/New_York')).toEqual({ kind: 'never', before: '01:59', after: '03:00' })
  expect(meaning('2027-03-28T03:00', 'Europe/Paris')?.kind).toBe('once')
})

test('a time that comes twice shows both', () => {
  expect(meaning('2026-10-25T02:30', 'Europe/Paris')).toEqual({
    kind: 'twice',
    first: Date.parse('2026-10-25T00:30Z'),
    second: Date.parse('2026-10-25T01:30Z'),
  })
  expect(meaning('2026-10-25T03:00', 'Europe/Paris')?.kind).toBe('once')
})

test.each(['', '2026-02-30T09:00', '2026-11-05T24:00', '2026-11-05 09:00', '2026-11-05T9:00'])(
  '%j is no local time',
  (text) => {
    expect(wallTime(text)).toBeNull()
    expect(meaning(text, 'UTC')).toBeNull()
  },
)
