// One frame of the page: what came is let in first, all of it together, then what changed by it is drawn, each part once. So
// the page is brought up to date at most once a frame however much comes.

import { nextFrame, type NextFrame } from './pull'

/** What is told of a frame. */
export interface FrameEar {
  updated(): void
  painted(ms: number): void
}

/** Steps of the next frame. */
export class FrameLoop {
  #landing: (() => void)[] = []
  readonly #drawing = new Map<object, () => void>()
  #planned = false
  readonly #settle: () => void
  readonly #ear: FrameEar
  readonly #next: NextFrame

  /** `settle` has the page follow what was let in. */
  constructor(settle: () => void, ear: FrameEar, next: NextFrame = nextFrame) {
    this.#settle = settle
    this.#ear = ear
    this.#next = next
  }

  /** Lets something in at the next frame. */
  land(step: () => void): void {
    this.#landing.push(step)
    this.#plan()
  }

  /** Has a part drawn in this frame, or in the next one; of several wishes of one part the last holds. */
  draw(part: object, step: () => void): void {
    this.#drawing.set(part, step)
    this.#plan()
  }

  /** Takes back what a part wished to draw. */
  drop(part: object): void {
    this.#drawing.delete(part)
  }

  #plan(): void {
    if (this.#planned) return
    this.#planned = true
    this.#next(() => {
      try {
        this.#frame()
      } finally {
        this.#planned = false
        if (this.#landing.length > 0 || this.#drawing.size > 0) this.#plan()
      }
    })
  }

  #frame(): void {
    const landing = this.#landing
    this.#landing = []
    if (landing.length > 0) {
      for (const step of landing) step()
      this.#ear.updated()
      this.#settle()
    }
    if (this.#drawing.size === 0) return
    const begun = performance.now()
    for (const [part, step] of this.#drawing) {
      this.#drawing.delete(part)
      step()
    }
    this.#ear.painted(performance.now() - begun)
  }
}
