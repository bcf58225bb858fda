// Which words stand beside the marks of a row: right of their mark, else left of it, else none; the list twin has them all.
// A row of pixels for each track says what is taken, so that any number of marks costs no more than their own widths. Pure.

import type { Scene, Spot, Stage } from './scene'

/** No words are narrower than this, pixels; where this does not fit, nothing is measured. */
const LEAST = 14

/** What is taken of each track of one row, pixel by pixel. */
class Taken {
  readonly #width: number
  readonly #tracks = new Map<number, Uint8Array>()

  constructor(width: number) {
    this.#width = Math.ceil(width) + 1
  }

  take(y: number, from: number, to: number): void {
    const [first, last] = [Math.max(0, Math.floor(from)), Math.min(this.#width - 1, Math.floor(to))]
    if (last < first) return
    this.#track(y).fill(1, first, last + 1)
  }

  free(y: number, from: number, to: number): boolean {
    const track = this.#tracks.get(y)
    if (!track) return true
    const last = Math.min(this.#width - 1, Math.floor(to))
    for (let x = Math.max(0, Math.floor(from)); x <= last; x++) if (track[x] === 1) return false
    return true
  }

  #track(y: number): Uint8Array {
    const known = this.#tracks.get(y)
    if (known) return known
    const made = new Uint8Array(this.#width)
    this.#tracks.set(y, made)
    return made
  }
}

/** The words of a spot: how often it came in bold, then what it says. */
function wordsOf(spot: Spot, stage: Stage): { text: string; strong: string } {
  const { words } = stage
  const { mark } = spot
  if (spot.shape === 'key_end') return { text: words.gone, strong: '' }
  switch (mark?.kind) {
    case 'event':
      return { text: mark.stale ? words.older : words.event(mark), strong: mark.arrivals > 1 ? words.times(mark.arrivals) : '' }
    case 'older':
      return { text: words.older, strong: '' }
    case 'aside':
      return { text: words.aside(mark), strong: '' }
    default:
      return { text: words.many(spot.count), strong: '' }
  }
}

/** Gives the spots that want words a place for them in their row. */
export function fit(wanted: readonly Spot[], row: Scene, stage: Stage): void {
  if (wanted.length === 0) return
  const placed = new Set(row.spots.map((s) => s.key))
  const taken = new Taken(stage.width)
  for (const s of row.spots) taken.take(s.y, s.x - 8, s.x + s.wide + 8)
  for (const { x1, x2, y1, y2 } of row.lines) {
    // A join lies on its track; a leaning link comes down to it along its second half.
    const near = y1 === y2 ? x1 : (x1 + x2) / 2
    taken.take(y2, Math.min(near, x2), Math.max(near, x2))
  }
  const now = stage.scale.x(stage.now)
  const free = (y: number, from: number, to: number): boolean =>
    from >= 4 && to <= stage.width - 4 && (to < now - 3 || from > now + 3) && taken.free(y, from, to)
  for (const at of wanted) {
    if ((at.mark?.kind !== 'bin' && !placed.has(at.key)) || at.x + at.wide < 0 || at.x > stage.width) continue
    const [right, left] = [at.x + at.wide + 9, at.x - 9]
    if (!free(at.y, right, right + LEAST) && !free(at.y, left - LEAST, left)) continue
    const { text, strong } = wordsOf(at, stage)
    const width = stage.measure(`${strong} ${text}`.trim())
    for (const align of ['left', 'right'] as const) {
      const from = align === 'left' ? right : left - width
      if (!free(at.y, from, from + width)) continue
      taken.take(at.y, from - 4, from + width + 4)
      row.labels.push({ x: align === 'left' ? from : from + width, y: at.y + 4, text, align, tone: 'plain', strong })
      break
    }
  }
}
