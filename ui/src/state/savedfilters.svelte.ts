// Filters of the Events that a person gave a name. The core keeps them with the log, so that the window and every
// browser show the same ones.

import type { SavedFilter, SavedFilters as Answer } from '../wire/wire'
import { savedWords } from '../words/search'
import type { Desk } from './desk.svelte'
import { type Chosen, TERMS } from './eventfilter'

/** The terms of a choice as they are kept. */
export function keptOf(chosen: Chosen): Record<string, string> {
  return Object.fromEntries(TERMS.flatMap((term) => (chosen[term] === undefined ? [] : [[term, chosen[term]]])))
}

/** True if a filter asks for just what is chosen. */
export function asks(filter: SavedFilter, chosen: Chosen): boolean {
  const kept = keptOf(chosen)
  const names = Object.keys(kept)
  return names.length === Object.keys(filter.terms).length && names.every((name) => filter.terms[name] === kept[name])
}

/** The filters of this log. */
export class SavedFilters {
  filters = $state.raw<readonly SavedFilter[]>([])
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  /** Reads them anew. */
  async pull(): Promise<void> {
    // Read without telling: a list that cannot be had now is had with the next pull.
    this.#take(await this.#desk.host.call('saved_filters', {}).catch(() => null))
  }

  /** Keeps what is chosen under a name; false if the core said no, which the trouble line then says. */
  async save(name: string, chosen: Chosen): Promise<boolean> {
    return this.#told(await this.#desk.act('save_filter', { name, terms: keptOf(chosen) }), savedWords.saved(name))
  }

  /** Gives one another name. */
  async rename(id: string, name: string): Promise<boolean> {
    return this.#told(await this.#desk.act('save_filter', { id, name }), savedWords.saved(name))
  }

  /** Deletes one. */
  async remove(filter: SavedFilter): Promise<boolean> {
    return this.#told(await this.#desk.act('delete_filter', { id: filter.id }), savedWords.gone(filter.name))
  }

  #told(answer: Answer | null, says: string): boolean {
    if (!answer) return false
    this.#take(answer)
    this.#desk.said = says
    return true
  }

  #take(answer: Answer | null): void {
    if (answer && JSON.stringify(answer.filters) !== JSON.stringify(this.filters)) this.filters = answer.filters
  }
}
