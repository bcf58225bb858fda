// What the Timeline holds of the log: the lanes around the part of time one looks at, at the resolution of the zoom, and the
// whole log at a glance. Pans and small zooms hit what is held; the log is asked once for the rest.

import type { Desk } from '../state/desk.svelte'
import type { Timeline, TimelineMap } from '../wire/wire'
import type { Stretch } from './scale'

/** Posts asked for at first, and how many more at a time. */
const GROUPS = 40
/** The map is read again after this long, milliseconds: it counts the whole log. */
const MAP_MS = 3000
/** Lanes are read again at most this often while messages pour in, milliseconds. */
const SPAN_MS = 60
const MAP_BINS = 400

/** Milliseconds a pixel as the core is asked for them: a power of two, at most the zoom's own. */
export function resolution(msPerPx: number): number {
  return Math.max(1, 2 ** Math.floor(Math.log2(msPerPx)))
}

/** The part of the log that is held. */
export class Feed {
  span = $state.raw<Timeline | null>(null)
  map = $state.raw<TimelineMap | null>(null)
  groups = $state(GROUPS)
  readonly #desk: Desk
  #wanted: { from_ms: number; to_ms: number; resolution_ms: number } | null = null
  #mapAt = -Infinity
  #spanAt = -Infinity
  #later: ReturnType<typeof setTimeout> | null = null

  constructor(desk: Desk) {
    this.#desk = desk
  }

  /** Says which part is looked at; asks for it at the next pull if it is not held. */
  look(seen: Stretch, msPerPx: number): void {
    const fine = resolution(msPerPx)
    const held = this.#wanted
    const inside = held && seen.from >= held.from_ms && seen.to <= held.to_ms
    if (held && inside && held.resolution_ms === fine) return
    const more = seen.to - seen.from
    this.#wanted = { from_ms: Math.floor(seen.from - more), to_ms: Math.ceil(seen.to + more), resolution_ms: fine }
    this.#spanAt = -Infinity
    this.#desk.refresh()
  }

  /** Asks for more posts. */
  more(): void {
    this.groups += GROUPS
    this.#spanAt = -Infinity
    this.#desk.refresh()
  }

  /** Reads what is due. */
  async pull(): Promise<void> {
    const now = performance.now()
    if (now - this.#mapAt >= MAP_MS) {
      this.#mapAt = now
      const map = await this.#desk.read('timeline_map', { bins: MAP_BINS })
      if (map) this.#desk.loop.land(() => (this.map = map))
    } else this.#again(MAP_MS - (now - this.#mapAt))
    const wanted = this.#wanted
    if (!wanted) return
    if (now - this.#spanAt < SPAN_MS) {
      this.#again(SPAN_MS)
      return
    }
    const answer = await this.#desk.read('timeline', { ...wanted, groups: this.groups })
    this.#spanAt = performance.now()
    if (answer) this.#desk.loop.land(() => (this.span = answer))
    if (this.#wanted !== wanted) this.#desk.refresh()
  }

  /** Has one more pull come in a while, so that the last change is never left out. */
  #again(ms: number): void {
    if (this.#later !== null) return
    this.#later = setTimeout(() => {
      this.#later = null
      this.#desk.refresh()
    }, ms)
  }

  /** Stops what waits. */
  stop(): void {
    if (this.#later !== null) clearTimeout(this.#later)
    this.#later = null
  }
}
