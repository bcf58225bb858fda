// What the command box finds: offers of any number of providers. A screen provides what can be done on it as long as
// it is shown; search provides what the log holds. The box knows none of them.

import type { SearchPiece } from '../wire/wire'

/** Something that can be done or gone to. */
export interface Offer {
  /** Stays the same as long as it means the same; unique within its provider. */
  key: string
  /** What it does or leads to, in a few words. */
  title: string
  /** The title in pieces, those marked that were looked for. */
  pieces?: readonly SearchPiece[]
  /** What tells it from its neighbours: a time, an id, a state. */
  note?: string
  /** A key that does the same, as people read it. */
  keys?: string
  icon?: string
  run(): void
}

/** Offers for what was typed. */
export interface Provider {
  /** Heading over its offers. */
  group: string
  /** Providers are shown by rank, smallest first: 0 the selection, 10 this screen, 20 what the log holds, 30 the rest. */
  rank: number
  /**
   * Offers for these words, best first; for no words what should be seen at once. Given up through `signal` as soon as
   * the words change. Must not reject.
   */
  offers(words: string, signal: AbortSignal): readonly Offer[] | Promise<readonly Offer[]>
}

/** The providers there are, and whether the box is open. One a page. */
export class Palette {
  /** True while the box is open. */
  open = $state(false)
  #providers: readonly Provider[] = $state.raw([])

  /** Providers by rank. */
  get providers(): readonly Provider[] {
    return this.#providers
  }

  /** Adds a provider; the answer takes it away again. */
  provide(provider: Provider): () => void {
    this.#providers = [...this.#providers, provider].sort((a, b) => a.rank - b.rank)
    return () => {
      this.#providers = this.#providers.filter((one) => one !== provider)
    }
  }
}
