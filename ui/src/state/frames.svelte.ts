// The program times its own frames while somebody looks at the figures. Nothing is noted while the panel is closed.

import { type Figures, FrameRing } from './framering'

/** The figures are worked out anew after this long, milliseconds. */
const TOLD_MS = 250

/** Times the frames of the page, from one callback of the browser to the next. */
export class Frames {
  /** True while the panel is open. */
  shown = $state(false)
  figures = $state.raw<Figures>(new FrameRing(1).figures())
  #ring: FrameRing | null = null
  /** When the frame under way began; null where the one before tells nothing, as after the page was hidden. */
  #began: number | null = null
  #told = 0
  #paint = 0
  #updates = 0
  #pulls = 0

  /** Opens or closes the panel; opening begins anew. */
  toggle(): void {
    this.shown = !this.shown
    if (!this.shown) {
      this.#ring = null
      document.removeEventListener('visibilitychange', this.#hidden)
      return
    }
    this.#ring = new FrameRing()
    this.over()
    document.addEventListener('visibilitychange', this.#hidden)
    requestAnimationFrame(this.#frame)
  }

  /** Starts over. */
  over(): void {
    this.#ring?.clear()
    this.#began = null
    this.#told = 0
    this.#paint = this.#updates = this.#pulls = 0
    if (this.#ring) this.figures = this.#ring.figures()
  }

  /** The picture was drawn within this frame, and took so long. */
  painted(ms: number): void {
    this.#paint += ms
  }

  /** What is shown was brought up to date within this frame. */
  updated(): void {
    this.#updates += 1
  }

  /** A pull began within this frame. */
  pulled(): void {
    this.#pulls += 1
  }

  readonly #hidden = (): void => {
    this.#began = null
  }

  readonly #frame = (at: number): void => {
    if (!this.#ring) return
    if (this.#began !== null) this.#ring.add(at - this.#began, this.#paint, this.#updates, this.#pulls)
    this.#began = at
    this.#paint = this.#updates = this.#pulls = 0
    if (at - this.#told >= TOLD_MS) {
      this.#told = at
      this.figures = this.#ring.figures()
    }
    requestAnimationFrame(this.#frame)
  }
}
