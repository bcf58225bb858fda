import { expect, test } from 'vitest'

import { eventRow, jobRow } from './testing/rows'
import { causeHeadline, eventEffect, eventSentence, eventTitle, jobSentence, jobState, words } from './words'

/** Every text in a value, wherever it stands. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(texts)
}

// Each area keeps its words in a file of its own; the rules hold for all of them.
const AREAS = import.meta.glob<Record<string, unknown>>('./words/*.ts', { eager: true })

test('no word of the trade is in sight', () => {
  expect(Object.keys(AREAS).length).toBeGreaterThan(0)
  for (const text of texts([words, ...Object.values(AREAS)])) expect(text).not.toMatch(/\b(error|invalid|idempotency|mismatch|payload mismatch|retry)\b/i)
})

test('headlines of causes have at most ten words and no status code', () => {
  for (const code of ['slow_answer', 'failed_answer', 'at_once', 'lost_answer', 'late_retry_or_redelivery', 'redelivered_by_hand']) {
    expect(causeHeadline(code).split(' ').length).toBeLessThanOrEqual(10)
    expect(causeHeadline(code)).not.toMatch(/\d{3}/)
    expect(causeHeadline(code), code).not.toBe('Came again')
  }
})

test.each([
  [{}, 'LinkedIn: live', 'changed a state'],
  [{ name: 'post.platform.failed', status: 'failed', platform: 'facebook' }, 'Facebook: failed', 'changed a state'],
  [{ name: 'post.partial', status: 'partial' }, 'Partly live', 'changed a state'],
  [{ name: 'account.disconnected', status: 'disconnected' }, 'Account lost', 'changed a state'],
  [{ order: 'late', late_by_ms: 410_000 }, 'LinkedIn: live', 'late 6 min 50 s'],
  [{ order: 'tie', applied: false }, 'LinkedIn: live', 'same instant'],
  [{ name: 'webhook.test', test: true, applied: false }, 'Test', 'never counts'],
  [{ kind: 'quarantined', signature: 'invalid', applied: false }, 'Signature wrong', 'kept aside'],
  [{ kind: 'unreadable', name: null, applied: false }, 'Unreadable', 'kept aside'],
  [{ flags: ['unknown_event'], applied: false }, 'Unknown kind', 'kept, no effect'],
  [{ applied: false, stale_lanes: ['post:po_1'] }, 'LinkedIn: live', 'older than known'],
  [{ order: 'unplaced', flags: ['clock_skew'], applied: false }, 'LinkedIn: live', 'clocks differ'],
])('a message %j is said as %s, %s', (change, title, effect) => {
  expect(eventTitle(eventRow(change))).toBe(title)
  expect(eventEffect(eventRow(change)).says).toBe(effect)
})

test('an arrival that came again changed nothing, its message may have', () => {
  expect(eventSentence(eventRow({ arrivals: 2 }), true)).toContain('changed nothing')
  expect(eventSentence(eventRow({ arrivals: 2 }), false)).toContain('once')
})

test('unknown is never failed, and failed only if Pozy said so', () => {
  expect(jobState(jobRow()).word).toBe('Unknown')
  expect(jobSentence(jobRow())).toContain('It may be live, it may not.')
  for (const state of ['waiting', 'sending', 'unknown', 'refused', 'stopped', 'cancelled'] as const)
    expect(jobState(jobRow({ state })).word).not.toMatch(/fail/i)
  expect(jobState(jobRow({ state: 'done', post_status: 'failed' })).word).toBe('Failed')
})
