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
  /** The reading of a time with several that a person chose. */
  picked: Picked | null
  media: string
  /** Made when the form opens; the core sends the same one once. */
  form: string
}

/** A planned time that means one instant alone. */
export interface Picked {
  scheduled_for: string
  timezone: string
  /** As it is read out. */
  text: string
}

/** An empty draft for a zone; `form` makes two clicks one post. */
export function emptyDraft(zone: string, form: string): Draft {
  return { content: '', targets: [], later: false, date: '', time: '', zone, picked: null, media: '', form }
}

/** A draft with the words, accounts, media and time of a body that was sent; what it does not say stays empty. */
export function draftOf(body: string, empty: Draft): Draft {
  const sent = read(body)
  const list = (value: unknown): Record<string, unknown>[] =>
    Array.isArray(value) ? value.filter((one): one is Record<string, unknown> => typeof one === 'object' && one !== null) : []
  const word = (value: unknown): string => (typeof value === 'string' ? value : '')
  const time = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?$/.exec(word(sent['scheduledFor']))
  return {
    ...empty,
    content: word(sent['content']),
    targets: list(sent['platforms'])
      .map((one) => ({ platform: word(one['platform']), account: word(one['accountId']) }))
      .filter((one) => one.account !== ''),
    media: list(sent['mediaItems']).map((one) => word(one['url'])).filter((url) => url !== '').join('\n'),
    later: sent['scheduledFor'] !== undefined,
    date: time?.[1] ?? '',
    time: time?.[2] ?? '',
    zone: word(sent['timezone']) || empty.zone,
  }
}

function read(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
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

/** What is missing, in the order of the form. A time that comes twice or never, or that has passed, is missing. */
export function lacks(draft: Draft, now: number): Lack[] {
  const found: Lack[] = []
  const media = mediaOf(draft)
  if (draft.content.trim() === '' && media.length === 0) found.push('words')
  if (draft.targets.length === 0) found.push('accounts')
  if (draft.later && draft.picked === null) {
    const planned = plannedFor(draft)
    if (planned?.kind !== 'once' || planned.ms <= now) found.push('time')
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
  if (draft.picked) return { ...args, scheduled_for: draft.picked.scheduled_for, timezone: draft.picked.timezone }
  return { ...args, scheduled_for: `${draft.date.trim()}T${draft.time.trim()}`, timezone: draft.zone }
}

function isAddress(text: string): boolean {
  try {
    return ['https:', 'http:'].includes(new URL(text).protocol)
  } catch {
    return false
  }
}
