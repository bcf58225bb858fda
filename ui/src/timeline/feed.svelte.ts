// What the Timeline holds of the log: the lanes around the part of time one looks at, at the resolution of the zoom, and the
// whole log at a glance. Pans and small zooms hit what is held; the log is asked for the rest, one question at a time, and what
// is shown stays until the answer is there.

import type { Desk } from '../state/desk.svelte'
import type { Timeline, TimelineMap } from '../wire/wire'
import type { Stretch } from './scale'
import { nameOf, serves, type Window, windowAround } from './window'

/** Posts asked for at first, and how many more at a time. */
const GROUPS = 40
/** The map is read again after this long, milliseconds: it counts the whole log. */
const MAP_MS = 3000
/** Lanes are read again at most this often while messages pour in, milliseconds; never more often than reading them takes. */
const SPAN_MS = 60
const MAP_BINS = 400
/** Answers that are kept for the way back. */
const KEPT = 6
/** A wide window holds up to five times what is seen; with a sixth of the posts in sight it has room for all of its own. */
const ROOM = 6

/** The part of the log that is held. */
export class Feed {
  span = $state.raw<Timeline | null>(null)
  map = $state.raw<TimelineMap | null>(null)
  groups = $state(GROUPS)
  readonly #desk: Pick<Desk, 'read' | 'refresh' | 'loop' | 'changes'>
  #wanted: Window | null = null
  #seen: { at: Stretch; msPerPx: number } | null = null
  /** True while more posts are active in what was asked for than fit into an answer. */
  #tight = false
  /** Answers as of one state of the log, the one used last at the end. */
  #kept = new Map<string, Timeline>()
  #asOf = -1
  /** Which answer is shown, or is from the next frame on. */
  #shown: string | null = null
  #mapAt = -Infinity
  #spanAt = -Infinity
  #took = 0
  #later: { at: number; timer: ReturnType<typeof setTimeout> } | null = null

  constructor(desk: Pick<Desk, 'read' | 'refresh' | 'loop' | 'changes'>) {
    this.#desk = desk
  }

  /** Says which part is looked at; asks for it at the next pull if it is not held. */
  look(seen: Stretch, msPerPx: number): void {
    this.#seen = { at: seen, msPerPx }
    if (this.#wanted && serves(this.#wanted, seen, msPerPx, this.#tight)) return
    this.#want(windowAround(seen, msPerPx, this.#tight))
  }

  /** Asks for more posts. */
  more(): void {
    this.groups += GROUPS
    if (this.#wanted) this.#want(this.#wanted)
  }

  /** Reads what is due. */
  async pull(): Promise<void> {
    await Promise.all([this.#pullMap(), this.#pullSpan()])
  }

  #want(window: Window): void {
    this.#wanted = window
    const name = nameOf(window, this.groups)
    const held = this.#asOf === this.#desk.changes ? this.#kept.get(name) : undefined
    if (held) return this.#show(name, held)
    this.#spanAt = -Infinity
    this.#desk.refresh()
  }

  /** Keeps an answer, and shows it from the next frame on unless a better one is shown. */
  #show(name: string, answer: Timeline): void {
    this.#kept.delete(name)
    this.#kept.set(name, answer)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT) break
      this.#kept.delete(oldest)
    }
    // A part that is not wanted any more is better than an older one, never better than the wanted one.
    const wanted = this.#wanted && nameOf(this.#wanted, this.groups)
    if (name !== wanted && this.#shown === wanted) return
    this.#shown = name
    this.#desk.loop.land(() => {
      if (this.#shown === name) this.span = answer
    })
  }

  async #pullMap(): Promise<void> {
    const now = performance.now()
    if (now - this.#mapAt < MAP_MS) return this.#again(MAP_MS - (now - this.#mapAt))
    this.#mapAt = now
    const map = await this.#desk.read('timeline_map', { bins: MAP_BINS })
    if (map) this.#desk.loop.land(() => (this.map = map))
  }

  async #pullSpan(): Promise<void> {
    const wanted = this.#wanted
    if (!wanted) return
    const begun = performance.now()
    const pause = Math.max(SPAN_MS, this.#took)
    if (begun - this.#spanAt < pause) return this.#again(pause - (begun - this.#spanAt))
    const asOf = this.#desk.changes
    const name = nameOf(wanted, this.groups)
    const answer = await this.#desk.read('timeline', { ...wanted, groups: this.groups })
    this.#spanAt = performance.now()
    this.#took = this.#spanAt - begun
    if (answer) {
      if (asOf !== this.#asOf) this.#kept.clear()
      this.#asOf = asOf
      this.#show(name, answer)
      if (this.#wanted === wanted) this.#weigh(answer)
    }
    if (this.#wanted !== wanted) {
      this.#spanAt = -Infinity
      this.#desk.refresh()
    }
  }

  /** Asks for less beside the view while posts compete for their places, and for more again once there is room by far. */
  #weigh(answer: Timeline): void {
    const groups = this.#tight ? new Set(answer.lanes.map((lane) => lane.group)).size : 0
    const tight = answer.more || (this.#tight && groups > this.groups / ROOM)
    if (tight === this.#tight) return
    this.#tight = tight
    if (tight && this.#seen) this.look(this.#seen.at, this.#seen.msPerPx)
  }

  /** Has one more pull come in a while, so that the last change is never left out; of several whiles the shortest. */
  #again(ms: number): void {
    const at = performance.now() + ms
    if (this.#later !== null && this.#later.at <= at) return
    this.stop()
    const timer = setTimeout(() => {
      this.#later = null
      this.#desk.refresh()
    }, ms)
    this.#later = { at, timer }
  }

  /** Stops what waits. */
  stop(): void {
    if (this.#later !== null) clearTimeout(this.#later.timer)
    this.#later = null
  }
}
