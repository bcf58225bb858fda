// The forecasts of one act as time passes and news come in: the newest one is the one a click carries.

import type { ForecastRow } from '../wire/wire'

/** Asks the core; null if it could not say. */
export type Foretell = () => Promise<ForecastRow | null>

/** News may come many times a second; a forecast is worked out at most this often, milliseconds. */
const AT_MOST_EVERY_MS = 1500

/** One act's forecast, kept fresh. A late answer never replaces a later question's. */
export class Forecast {
  /** The newest forecast; null until there is one. */
  row = $state.raw<ForecastRow | null>(null)
  /** False while what it is about has changed and the new one is not there yet: then nothing may be clicked. */
  fresh = $state(false)
  readonly #ask: Foretell
  #question = 0
  #last = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(ask: Foretell) {
    this.#ask = ask
  }

  /** Works it out at once. */
  async now(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#last = Date.now()
    const question = ++this.#question
    const row = await this.#ask()
    if (question !== this.#question) return
    this.row = row
    this.fresh = row !== null
  }

  /** Works it out soon, however often it is asked for. */
  soon(): void {
    if (this.#timer !== undefined) return
    const wait = Math.max(0, this.#last + AT_MOST_EVERY_MS - Date.now())
    this.#timer = setTimeout(() => void this.now(), wait)
  }

  /** What it is about has changed: the old one holds no more, and the new one is worked out after a rest of `ms`. */
  changed(ms: number): void {
    clearTimeout(this.#timer)
    this.#question += 1
    this.fresh = false
    this.#timer = setTimeout(() => void this.now(), ms)
  }

  /** Nothing more is asked. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#question += 1
  }
}
