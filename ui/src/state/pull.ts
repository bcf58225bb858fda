// Notices come as fast as arrivals do; the screens pull at most once a frame, and never twice at a time.

/** Does the work of one pull. Must not reject. */
export type PullWork = () => Promise<void>
/** Runs a step at the next frame; `requestAnimationFrame` outside tests. */
export type NextFrame = (step: () => void) => void

/** Joins any number of requests into one pull a frame. A request during a pull is served by one more pull after it. */
export class Pull {
  #wanted = false
  #busy = false
  readonly #work: PullWork
  readonly #frame: NextFrame

  constructor(work: PullWork, frame: NextFrame) {
    this.#work = work
    this.#frame = frame
  }

  /** Asks for a pull that starts after this moment. */
  want(): void {
    if (this.#wanted) return
    this.#wanted = true
    if (!this.#busy) this.#plan()
  }

  #plan(): void {
    this.#busy = true
    this.#frame(() => {
      this.#wanted = false
      void this.#work().finally(() => {
        this.#busy = false
        if (this.#wanted) this.#plan()
      })
    })
  }
}

/** The next frame, or 100 ms later where a hidden page gets no frames. */
export function nextFrame(step: () => void): void {
  let done = false
  const once = (): void => {
    if (done) return
    done = true
    step()
  }
  requestAnimationFrame(once)
  setTimeout(once, 100)
}
