import { expect, test } from 'vitest'

import { Clockface } from '../state/times'
import { forecastRow, NOW } from '../testing/rows'
import type { Effect, Reason, Risk } from '../wire/wire'
import { badgeOf, cards, inZone, reasonsOf, told, withoutIds } from '../words/cards'

const EFFECTS: Effect[] = ['returns_existing', 'creates_first', 'creates_second', 'creates_again', 'refused_same_content', 'refused_key_reuse', 'in_progress', 'cannot_tell']
const REASONS: Reason[] = [
  'key_alive', 'key_gone', 'key_near_end', 'key_age_unknown', 'new_key', 'no_key', 'key_unused', 'key_for_other_words', 'in_progress',
  'unknown_outcome', 'answered_no', 'first_not_live', 'first_live', 'same_content_there', 'check_over', 'check_near_end', 'near_content',
  'time_twice', 'time_missing', 'time_unreadable', 'account_disconnected', 'seen_not_there', 'looked_too_soon', 'not_seen_on_account',
  'words_behind', 'stale_state', 'partial', 'other_workspace', 'schedule_passed', 'draft', 'nothing_there', 'clock_skew',
]

test('every forecast has a headline of at most six words and no code in it', () => {
  for (const effect of EFFECTS)
    for (const code of REASONS)
      for (const action of ['ask_again', 'post_again', 'submit'] as const) {
        const { headline, says } = told(forecastRow({ effect, action, because: [{ code, text: 'Because of it.' }] }))
        expect(headline.split(' ').length, headline).toBeLessThanOrEqual(6)
        expect(`${headline} ${says}`).not.toMatch(/\d{3}|undefined/)
        expect(says, `${effect} ${code}`).not.toBe('')
      }
})

test.each<[Effect, Risk, Reason[], string]>([
  ['cannot_tell', 'safe', ['unknown_outcome', 'key_alive'], 'One post either way'],
  ['returns_existing', 'safe', ['key_alive', 'first_not_live'], 'The first post comes back'],
  ['creates_again', 'confirm', ['new_key', 'first_not_live'], 'A new post, not a second'],
  ['cannot_tell', 'confirm', ['key_near_end', 'first_not_live'], 'Too close to call'],
  ['creates_second', 'blocked', ['key_gone', 'check_over'], 'Would make a second live post'],
  ['creates_second', 'blocked', ['new_key', 'near_content'], 'Would slip past the check'],
  ['refused_same_content', 'confirm', ['key_gone', 'same_content_there'], 'Already there'],
  ['refused_key_reuse', 'confirm', ['key_for_other_words'], 'The key belongs to another call'],
  ['cannot_tell', 'blocked', ['other_workspace'], 'Cannot tell'],
])('%s, %s, %j is said as %s', (effect, risk, codes, headline) => {
  const row = forecastRow({ effect, risk, because: codes.map((code) => ({ code, text: `${code}.` })) })
  const of = told(row)
  expect(of.headline).toBe(headline)
  expect(reasonsOf(row, of), 'no sentence stands twice').not.toContain(of.says)
})

test('only safe is called safe, and what Pozy refuses makes nothing', () => {
  expect(badgeOf({ effect: 'cannot_tell', risk: 'safe' }).word).toBe('Safe')
  expect(badgeOf({ effect: 'cannot_tell', risk: 'blocked' }).word).toBe('Blocked')
  expect(badgeOf({ effect: 'creates_again', risk: 'confirm' }).word).toBe('Needs your word')
  expect(badgeOf({ effect: 'refused_same_content', risk: 'confirm' }).word).toBe('Nothing happens')
})

test('an id in brackets goes where its post can be opened, and stays where it cannot', () => {
  const text = 'The first post (po_1) is live, and a try (job_2) may be.'
  expect(withoutIds(text, [{ post: 'po_1', job: null }])).toBe('The first post is live, and a try (job_2) may be.')
  expect(withoutIds(text, [])).toBe(text)
})

test('statuses are a short list', () => {
  expect(cards.expects([201])).toBe('expects 201')
  expect(cards.expects([200, 201])).toBe('expects 200 or 201')
  expect(cards.expects([201, 400, 403])).toBe('expects 201, 400 or 403')
})

test('times of the core stand in the zone of the screen', () => {
  const face = new Clockface('Europe/Paris')
  expect(inZone('It ended at 2026-11-06 07:59 UTC, long ago.', face, NOW)).toBe('It ended at 08:59 CET, long ago.')
  expect(inZone('Live since 2026-11-04 23:30 UTC.', face, NOW)).toBe('Live since Thu 5 Nov 00:30 CET.')
})
