// A filtered list: the core looks through a bounded part of the log at a time, this asks again until a page is full. It
// says how far it came, shows what it has found meanwhile, and can be stopped.

import type { Desk } from '../state/desk.svelte'
import type { EventRow, EventsFilter, EventsOnly, Stamp } from '../wire/wire'
import { instantOf } from './place'
import type { Source } from './rows.svelte'

/** What is looked for. */
export interface Wanted {
  only?: EventsOnly
  filter: EventsFilter
}

/** A longer head than this is read anew instead of being grown by what came. */
const LONGEST_HEAD = 400

/** Rows of a look and rows known before, each once, last arrival first. */
export function merged(rows: readonly EventRow[], known: readonly EventRow[]): EventRow[] {
  const met = new Set(rows.map((row) => row.id))
  const all = [...rows, ...known.filter((row) => !met.has(row.id))]
  return all.sort((a, b) => b.last_arrived.ms - a.last_arrived.ms)
}

/** One look through the log, from the newest row back. */
export class Scan {
  /** True while the core is asked. */
  busy = $state(false)
  /** True once a person stopped it, until they go on. */
  halted = $state(false)
  /** How far back it came; null before the first answer. */
  reached = $state.raw<Stamp | null>(null)
  /** The oldest row there is. */
  oldest = $state.raw<Stamp | null>(null)
  /** The newest row that there was when it began. */
  newest = $state.raw<Stamp | null>(null)
  /** True once the whole log was looked through. */
  done = $state(false)
  /** What the first page has found so far, while it is not full; with a text, what the index of words knew at once is in it. */
  partial = $state.raw<EventRow[]>([])

  readonly #desk: Pick<Desk, 'read'>
  readonly #wanted: Wanted
  #ended = false
  /** What the index of words knew at once. The look finds it, too. */
  #known: EventRow[] = []
  #head: EventRow[] = []
  #next: string | null = null
  /** The newest place of the log when the head was read; null before. */
  #newest: string | null = null

  constructor(desk: Pick<Desk, 'read'>, wanted: Wanted) {
    this.#desk = desk
    this.#wanted = wanted
  }

  /** The pages of the list. */
  source(): Source<EventRow> {
    return { id: (row) => row.id, restless: false, at: (row) => row.last_arrived.ms, page: (after, limit) => (after === null ? this.#first(limit) : this.#look(after, limit)) }
  }

  /** Stops looking; what was found stays, and the list can be gone on with. */
  halt(): void {
    this.halted = true
  }

  /** Ends it for good: another filter holds. */
  end(): void {
    this.#ended = true
  }

  /** The head, grown by what came since it was read: the log is looked through once, not at every notice. */
  async #first(limit: number): Promise<{ rows: EventRow[]; next: string | null } | null> {
    if (this.#newest === null || this.#head.length > LONGEST_HEAD) {
      this.#newest = null
      this.#known = await this.#indexed()
      if (this.#ended) return null
      this.partial = this.#known
      const page = await this.#look(null, limit, (rows) => (this.partial = merged(rows, this.#known)))
      if (!page) return null
      // A page that is full ends before what is older; a look that was stopped never comes to it.
      this.#head = this.halted ? merged(page.rows, this.#known) : page.rows
      this.#next = page.next
      this.partial = []
      return { rows: this.#head, next: page.next }
    }
    const came: EventRow[] = []
    let after: string | null = null
    let newest: string | null = null
    do {
      const answer = await this.#ask(after, limit, this.#newest)
      if (!answer || this.#ended) return null
      newest ??= answer.looked?.newest ?? null
      came.push(...answer.rows)
      after = answer.next
    } while (after !== null && came.length <= LONGEST_HEAD)
    if (after !== null) {
      // More came than a head may hold: it begins anew, with the newest page.
      this.#newest = null
      return this.#first(limit)
    }
    this.#newest = newest ?? this.#newest
    if (came.length > 0) {
      const fresh = new Set(came.map((row) => row.id))
      this.#head = [...came, ...this.#head.filter((row) => !fresh.has(row.id))]
    }
    return { rows: this.#head, next: this.#next }
  }

  /** What the index of words knows of the text, or nothing. */
  async #indexed(): Promise<EventRow[]> {
    const { only, filter } = this.#wanted
    if (filter.text === undefined) return []
    this.busy = true
    const answer = await this.#desk.read('events', { limit: 100, filter, indexed: true, ...(only ? { only } : {}) })
    return answer?.rows ?? []
  }

  async #look(from: string | null, limit: number, meanwhile?: (rows: EventRow[]) => void): Promise<{ rows: EventRow[]; next: string | null } | null> {
    const rows: EventRow[] = []
    let next = from
    this.busy = true
    this.halted = false
    try {
      do {
        const answer = await this.#ask(next, limit - rows.length, null)
        if (this.#ended) return null
        if (!answer) return rows.length > 0 ? { rows, next } : null
        if (from === null) this.#newest ??= answer.looked?.newest ?? ''
        rows.push(...answer.rows)
        next = answer.next
        this.reached = answer.looked?.reached ?? this.reached
        this.oldest = answer.looked?.oldest ?? this.oldest
        if (from === null) this.newest ??= answer.looked?.newest_at ?? null
        this.done = next === null
        meanwhile?.([...rows])
      } while (next !== null && rows.length < limit && !this.halted)
      return { rows, next }
    } finally {
      this.busy = false
    }
  }

  #ask(after: string | null, limit: number, since: string | null) {
    const { only } = this.#wanted
    const at = instantOf(after)
    const filter = at === null ? this.#wanted.filter : { ...this.#wanted.filter, to_ms: Math.min(at, this.#wanted.filter.to_ms ?? at) }
    return this.#desk.read('events', {
      limit: Math.min(limit, 100),
      filter,
      ...(only ? { only } : {}),
      ...(after === null || at !== null ? {} : { after }),
      ...(since === null || since === '' ? {} : { since }),
    })
  }
}
