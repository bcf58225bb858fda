// A file of posts on its way: looked at, then sent one row after the other, so that it can be stopped and goes on where
// it stood. Nothing is remembered here that a second look would not show.

import type { Effect, ManyPreview, ManyRow, ManySubmitted } from '../wire/wire'
import { isRefused } from '../words/cards'

/** What is asked of the core; null if the answer was no. */
export interface Core {
  look(file: { name: string; text: string; confirmed: Effect[] }): Promise<ManyPreview | null>
  send(rows: { id: string; lines: number[]; confirmed: Effect[] }): Promise<ManySubmitted | null>
  /** The present, milliseconds. */
  now(): number
  /** Ends after so many milliseconds. */
  rest(ms: number): Promise<void>
}

/** The longest rest between two looks at the clock, milliseconds. */
const REST_MS = 1000

/** One file. */
export class Many {
  preview = $state.raw<ManyPreview | null>(null)
  rows = $state.raw<ManyRow[]>([])
  confirmed = $state.raw<Effect[]>([])
  /** True while it is looked at. */
  looking = $state(false)
  /** Rows that had their turn, while it is sent. */
  progress = $state.raw<{ done: number; all: number } | null>(null)
  /** Until when everybody waits. */
  waits = $state.raw<number | null>(null)
  /** True once a person stopped it. */
  stopped = $state(false)
  /** True once it was sent, or a part of it. */
  sent = $state(false)
  /** Lines that would go out as it stands. */
  readonly ready = $derived(this.rows.filter((row) => row.state === 'ready').map((row) => row.line))
  /** Effects that a person may take for all rows at once: what could double is sent one by one. */
  readonly offered = $derived(offers(this.rows))
  #file: { name: string; text: string } | null = null
  readonly #core: Core

  constructor(core: Core) {
    this.#core = core
  }

  /** Looks at a file. */
  async look(name: string, text: string): Promise<void> {
    this.#file = { name, text }
    this.confirmed = []
    await this.#look()
  }

  /** Takes an effect for all its rows, or not. */
  async confirm(effect: Effect, taken: boolean): Promise<void> {
    this.confirmed = taken ? [...this.confirmed, effect] : this.confirmed.filter((other) => other !== effect)
    await this.#look()
  }

  async #look(): Promise<void> {
    if (!this.#file || this.looking) return
    this.looking = true
    this.sent = this.stopped = false
    this.preview = await this.#core.look({ ...this.#file, confirmed: this.confirmed })
    this.rows = this.preview?.rows ?? []
    this.looking = false
  }

  /** Has it stop after the row that is under way. */
  stop(): void {
    this.stopped = true
  }

  /** Sends what would go out, row by row in the order of the file. */
  async send(): Promise<void> {
    const id = this.preview?.id
    if (id === undefined || this.progress) return
    const lines = this.ready
    this.stopped = false
    this.sent = true
    for (let done = 0; done < lines.length && !this.stopped; ) {
      this.progress = { done, all: lines.length }
      const answer = await this.#core.send({ id, lines: [lines[done] ?? 0], confirmed: this.confirmed })
      if (!answer) break
      for (const row of answer.rows) this.rows = this.rows.map((old) => (old.line === row.line ? row : old))
      if (answer.wait_until) await this.#wait(answer.wait_until.ms)
      else done += 1
    }
    this.progress = null
  }

  async #wait(until: number): Promise<void> {
    this.waits = until
    for (let left = until - this.#core.now(); left > 0 && !this.stopped; left = until - this.#core.now())
      await this.#core.rest(Math.min(left, REST_MS))
    this.waits = null
  }
}

/** An effect with how many rows are left out for it and one of them. */
export interface Offer {
  effect: Effect
  count: number
  one: ManyRow
}

/** What may be taken besides the safe rows. A refusal makes nothing, so there is nothing to take. */
export function offers(rows: readonly ManyRow[]): Offer[] {
  const found = new Map<Effect, Offer>()
  for (const row of rows) {
    if (row.effect === null || row.risk !== 'confirm' || isRefused(row.effect)) continue
    if (row.state !== 'left_out' && row.state !== 'ready') continue
    const offer = found.get(row.effect)
    if (offer) offer.count += 1
    else found.set(row.effect, { effect: row.effect, count: 1, one: row })
  }
  return [...found.values()]
}
