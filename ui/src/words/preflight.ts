// The words of looking at a new post before it leaves.

import type { ForecastRow } from '../wire/wire'
import { inZone, told, type Told } from './cards'
import type { Clockface } from '../state/times'

/** Fixed words. */
export const preflight = {
  title: 'What would happen',
  waits: 'Looked at as soon as words, accounts and time are there.',
  working: 'Looking …',
  clear: 'Nothing like it is there. One post comes of it.',
  accept: { now: 'Send post, I accept', later: 'Plan post, I accept' },
  anyway: 'Do it anyway …',
  reason: 'Why it is sent all the same',
  there: 'There',
  sent: 'This post',
  see: 'See that post',
  trap: { twice: 'That time comes twice. Which one is meant?', missing: 'That time does not exist there. Which one is meant?', unreadable: 'That time cannot be read. Write another.' } as Record<string, string>,
  picked: (text: string) => `Planned for ${text}.`,
} as const

/** The sentences on a new post, the weightiest first. */
export function preflightSays(row: ForecastRow, face: Clockface, now: number): { told: Told; reasons: string[] } {
  const of = told(row)
  return { told: of, reasons: row.because.filter((one) => one.code !== of.from).map((one) => inZone(one.text, face, now)) }
}
