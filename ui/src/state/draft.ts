// What stands in the compose form, and what is missing before it can be sent.

import type { SubmitArgs, Target } from '../wire/wire'
import { type LocalMeaning, meaning } from './localtime'

/** The form's fields as typed. */
export interface Draft {
  content: string
  targets: Target[]
  later: boolean
  date: string
  time: string
  zone: string
  media: string
  /** Made when the form opens; the core sends the same one once. */
  form: string
}

/** What keeps a draft from being sent. */
export type Lack = 'words' | 'accounts' | 'media' | 'time'

/** The media addresses of a draft, one a line. */
export function mediaOf(draft: Draft): string[] {
  return draft.media
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** What the typed time means in the typed zone; null if it is no time at all. */
export function plannedFor(draft: Draft): LocalMeaning | null {
  return meaning(`${draft.date.trim()}T${draft.time.trim()}`, draft.zone)
}

/** What is missing, in the order of the form. A time the clocks jump over, or that has passed, is missing. */
export function lacks(draft: Draft, now: number): Lack[] {
  const found: Lack[] = []
  const media = mediaOf(draft)
  if (draft.content.trim() === '' && media.length === 0) found.push('words')
  if (draft.targets.length === 0) found.push('accounts')
  if (draft.later) {
    const planned = plannedFor(draft)
    const last = planned?.kind === 'twice' ? planned.second : planned?.kind === 'once' ? planned.ms : null
    if (last === null || last <= now) found.push('time')
  }
  if (media.some((address) => !isAddress(address))) found.push('media')
  return found
}

/** The call that sends a draft nothing is missing from. The time goes as typed: local, with its zone. */
export function submission(draft: Draft): SubmitArgs {
  const args: SubmitArgs = {
    content: draft.content,
    targets: draft.targets,
    media_urls: mediaOf(draft),
    form: draft.form,
  }
  if (!draft.later) return args
  return { ...args, scheduled_for: `${draft.date.trim()}T${draft.time.trim()}`, timezone: draft.zone }
}

function isAddress(text: string): boolean {
  try {
    return ['https:', 'http:'].includes(new URL(text).protocol)
  } catch {
    return false
  }
}
