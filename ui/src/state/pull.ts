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

/** How long a frame of a hidden page is waited for, milliseconds: it may never come. */
const HIDDEN_MS = 100
/** The same of a page in sight: longer than any drawing takes, so that there are not two steps in one late frame. */
const STUCK_MS = 1000

/** The next frame, or a while later where none comes, as on a hidden page. */
export function nextFrame(step: () => void): void {
  let done = false
  const once = (): void => {
    if (done) return
    done = true
    clearTimeout(late)
    step()
  }
  let late = setTimeout(() => {
    if (document.visibilityState === 'hidden') once()
    else late = setTimeout(once, STUCK_MS - HIDDEN_MS)
  }, HIDDEN_MS)
  requestAnimationFrame(once)
}
