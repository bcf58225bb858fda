// Time to pixel and back. Quiet stretches may be folded to a fixed width; inside a fold positions stay in proportion.

/** A stretch of time, milliseconds since 1970. */
export interface Stretch {
  from: number
  to: number
}

/** A stretch that is drawn `width` pixels wide, whatever its length. */
export interface Fold extends Stretch {
  width: number
}

/** Where one looks and how closely: an instant, the pixel it stands at, and milliseconds a pixel. */
export interface View {
  ms: number
  x: number
  msPerPx: number
}

/** One view of time. Folds are in order and do not touch. */
export class TimeScale {
  readonly view: View
  readonly folds: readonly Fold[]
  /** Pixels saved by all folds up to each one, itself included. */
  readonly #saved: number[]
  readonly #base: number

  constructor(view: View, folds: readonly Fold[] = []) {
    this.view = view
    this.folds = folds
    let sum = 0
    this.#saved = folds.map((f) => (sum += (f.to - f.from) / view.msPerPx - f.width))
    this.#base = view.x - this.#line(view.ms)
  }

  /** The pixel of an instant. */
  x(ms: number): number {
    return this.#base + this.#line(ms)
  }

  /** The instant at a pixel. */
  ms(x: number): number {
    const { msPerPx, ms: origin } = this.view
    const wanted = x - this.#base
    let low = 0
    let high = this.folds.length
    while (low < high) {
      const middle = (low + high) >> 1
      const fold = this.folds[middle]
      if (fold && this.#line(fold.to) <= wanted) low = middle + 1
      else high = middle
    }
    const before = low === 0 ? 0 : (this.#saved[low - 1] ?? 0)
    const plain = origin + (wanted + before) * msPerPx
    const fold = this.folds[low]
    if (!fold || plain < fold.from) return plain
    return fold.from + ((wanted - this.#line(fold.from)) / fold.width) * (fold.to - fold.from)
  }

  /** The folds of which something stands between two pixels. */
  foldsBetween(left: number, right: number): readonly Fold[] {
    const [from, to] = [this.ms(left), this.ms(right)]
    let first = 0
    let high = this.folds.length
    while (first < high) {
      const middle = (first + high) >> 1
      if ((this.folds[middle]?.to ?? 0) <= from) first = middle + 1
      else high = middle
    }
    let end = first
    while (end < this.folds.length && (this.folds[end]?.from ?? 0) < to) end += 1
    return this.folds.slice(first, end)
  }

  /** Pixels along the folded line, from where the view's instant would be without any fold. */
  #line(ms: number): number {
    const { msPerPx, ms: origin } = this.view
    let low = 0
    let high = this.folds.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.folds[middle]?.to ?? 0) <= ms) low = middle + 1
      else high = middle
    }
    const before = low === 0 ? 0 : (this.#saved[low - 1] ?? 0)
    const fold = this.folds[low]
    if (!fold || ms <= fold.from) return (ms - origin) / msPerPx - before
    const start = (fold.from - origin) / msPerPx - before
    return start + ((ms - fold.from) / (fold.to - fold.from)) * fold.width
  }
}
