// The newest frames in rings of a fixed size, and what they come to. Pure; noting a frame makes nothing new.

/** Frames that are kept: two minutes at 60 a second. */
export const KEPT = 7200
/** A frame that took longer is one that a person sees, milliseconds. */
export const SEEN_MS = 33

/** What the kept frames come to. Times are milliseconds. */
export interface Figures {
  frames: number
  /** How long all of them took, seconds. */
  seconds: number
  median: number
  p95: number
  p99: number
  worst: number
  /** Frames over `SEEN_MS`. */
  over: number
  /** Drawing of the picture, in frames that drew it. */
  paintMedian: number
  paintP95: number
  paintWorst: number
  /** Most updates of what is shown that fell into one frame. */
  updates: number
  /** Most pulls that began in one frame. */
  pulls: number
}

/** Rings over the newest frames. */
export class FrameRing {
  readonly #gaps: Float32Array
  readonly #paints: Float32Array
  readonly #updates: Uint16Array
  readonly #pulls: Uint16Array
  readonly #sorted: Float32Array
  #next = 0
  #count = 0

  constructor(kept = KEPT) {
    this.#gaps = new Float32Array(kept)
    this.#paints = new Float32Array(kept)
    this.#updates = new Uint16Array(kept)
    this.#pulls = new Uint16Array(kept)
    this.#sorted = new Float32Array(kept)
  }

  /** Notes a frame: how long it took until the next one, how long its drawing took, and what fell into it. */
  add(gap: number, paint: number, updates: number, pulls: number): void {
    const at = this.#next
    this.#gaps[at] = gap
    this.#paints[at] = paint
    this.#updates[at] = updates
    this.#pulls[at] = pulls
    this.#next = (at + 1) % this.#gaps.length
    this.#count = Math.min(this.#count + 1, this.#gaps.length)
  }

  /** Forgets all frames. */
  clear(): void {
    this.#next = 0
    this.#count = 0
  }

  /** What the kept frames come to. */
  figures(): Figures {
    const count = this.#count
    let sum = 0
    let over = 0
    let updates = 0
    let pulls = 0
    let drawn = 0
    for (let n = 0; n < count; n++) {
      const gap = this.#gaps[n] ?? 0
      sum += gap
      if (gap > SEEN_MS) over += 1
      updates = Math.max(updates, this.#updates[n] ?? 0)
      pulls = Math.max(pulls, this.#pulls[n] ?? 0)
    }
    const gaps = this.#sorted.subarray(0, count)
    gaps.set(this.#gaps.subarray(0, count))
    gaps.sort()
    const [median, p95, p99, worst] = [share(gaps, 0.5), share(gaps, 0.95), share(gaps, 0.99), share(gaps, 1)]
    for (let n = 0; n < count; n++) {
      const paint = this.#paints[n] ?? 0
      if (paint > 0) this.#sorted[drawn++] = paint
    }
    const paints = this.#sorted.subarray(0, drawn)
    paints.sort()
    return {
      frames: count, seconds: sum / 1000, median, p95, p99, worst, over,
      paintMedian: share(paints, 0.5), paintP95: share(paints, 0.95), paintWorst: share(paints, 1), updates, pulls,
    }
  }
}

/** The value that this share of sorted values does not exceed; 0 of none. */
function share(sorted: Float32Array, part: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0
}
