// What the log holds of the words that were typed, by kind. The answer comes from the indexes alone; what they do not
// know is looked for at the Events, where the look shows how far it is and can be stopped.

import type { Desk } from '../state/desk.svelte'
import { writeAddress, placeOf } from '../state/address'
import type { SearchAnswer, SearchHit, SearchKind } from '../wire/wire'
import { paletteWords } from '../words/palette'
import { savedWords, searchWords as w } from '../words/search'
import { fitting } from './match'
import type { Offer, Provider } from './palette.svelte'

/** Hits of a kind that are offered. */
const SHOWN = 6
/** Typing goes on within this time; nobody is asked for each letter. */
const PAUSE_MS = 120

/** True if there is enough to look for: two letters, or one that is a word of its own. */
const worth = (text: string): boolean => text.length >= 2 || /[^\u0020-\u024f]/.test(text)

/** One answer for what is typed, shared by all kinds. */
class Asked {
  #text = ''
  #answer: Promise<SearchAnswer | null> = Promise.resolve(null)
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  async answer(typed: string, signal: AbortSignal): Promise<SearchAnswer | null> {
    const text = typed.trim()
    if (!worth(text)) return null
    await new Promise((done) => setTimeout(done, PAUSE_MS))
    if (signal.aborted) return null
    if (text !== this.#text) {
      this.#text = text
      // Read without telling: what cannot be looked up now is simply not offered. Asked anew at the next opening.
      this.#answer = this.#desk.host
        .call('search', { text: typed.trimStart(), limit: SHOWN })
        .catch(() => null)
        .finally(() => setTimeout(() => (this.#text = ''), PAUSE_MS))
    }
    return this.#answer
  }
}

/** Goes to a place of the page. */
const to = (address: string) => (): void => {
  location.hash = address
}

function offer(desk: Desk, hit: SearchHit): Offer {
  const when = hit.at ? desk.face.full(hit.at.ms, desk.now) : null
  const note = (...parts: (string | null)[]): string => parts.filter(Boolean).join(', ')
  const plain = hit.text.map((piece) => piece.text).join('')
  const worded = plain === '' ? { title: hit.kind === 'message' && hit.seq !== null ? w.aside : w.noWords } : { title: plain, pieces: hit.text }
  switch (hit.kind) {
    case 'post':
      return { key: `post ${hit.id}`, ...worded, note: note(when, hit.id), icon: 'live', run: to(placeOf.post(hit.id)) }
    case 'job':
      return { key: `job ${hit.id}`, ...worded, note: note(when, hit.id), icon: 'posts', run: to(placeOf.job(hit.id)) }
    case 'message': {
      const place = hit.seq === null ? placeOf.event(hit.id) : placeOf.arrival(hit.seq)
      return { key: `message ${hit.id}`, ...worded, note: note(hit.name, when, hit.id), icon: 'events', run: to(place) }
    }
    case 'account':
      return { key: `account ${hit.id}`, title: w.account(hit.id), icon: 'filter', run: to(writeAddress('events', { account: hit.id })) }
    case 'name':
      return { key: `name ${hit.id}`, title: w.name(hit.id), icon: 'filter', run: to(writeAddress('events', { name: hit.id })) }
  }
}

/** Hits of some kinds; what the very id leads to is offered elsewhere. */
function hits(desk: Desk, asked: Asked, group: string, rank: number, kinds: readonly SearchKind[]): Provider {
  return {
    group,
    rank,
    async offers(typed, signal) {
      const answer = await asked.answer(typed, signal)
      const elsewhere = (hit: SearchHit): boolean => hit.by === 'id' && hit.id === typed.trim() && (hit.kind === 'message' || hit.kind === 'job')
      const found = (answer?.hits ?? []).filter((hit) => kinds.includes(hit.kind) && !elsewhere(hit))
      return found.slice(0, SHOWN).map((hit) => offer(desk, hit))
    },
  }
}

/** Everything else is a look through the log. */
function all(asked: Asked): Provider {
  return {
    group: w.log,
    rank: 44,
    async offers(typed, signal) {
      const text = typed.trim()
      if (!(await asked.answer(typed, signal))) return []
      return [{ key: 'all', title: w.all(text), note: w.allSays, icon: 'search', run: to(writeAddress('events', { text })) }]
    },
  }
}

/** Filters with a name, wherever one is. */
function saved(desk: Desk): Provider {
  return {
    group: savedWords.label,
    rank: 25,
    async offers(typed) {
      if (typed.trim() === '' && desk.screen !== 'events') return []
      const filters = (await desk.host.call('saved_filters', {}).catch(() => null))?.filters ?? []
      return fitting(
        typed,
        filters.map((filter) => ({
          key: filter.id,
          title: savedWords.use(filter.name),
          note: paletteWords.go(savedWords.screen),
          icon: 'filter',
          run: to(writeAddress('events', filter.terms)),
        })),
      )
    },
  }
}

/** What search offers. It stands below what can be done, so that what comes late moves nothing that is chosen. */
export function searchProviders(desk: Desk): Provider[] {
  const asked = new Asked(desk)
  return [
    saved(desk),
    hits(desk, asked, w.posts, 40, ['post']),
    hits(desk, asked, w.messages, 41, ['message']),
    hits(desk, asked, w.jobs, 42, ['job']),
    hits(desk, asked, w.log, 43, ['account', 'name']),
    all(asked),
  ]
}
