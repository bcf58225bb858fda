// The page's address says what is looked at: `#/events?event=ev_1&only=late`. A link of the page is such an address, so
// the way back leads through everything that was looked at.

/** The part behind the hash, read. */
export interface Address {
  screen: string
  /** What is looked at there, by name. */
  query: ReadonlyMap<string, string>
}

/** Reads a hash such as `#/events?event=ev_1`. Of a name that comes twice the first counts. */
export function readAddress(hash: string): Address {
  const [screen = '', rest = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  const query = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(rest)) if (!query.has(name) && value !== '') query.set(name, value)
  return { screen, query }
}

/** Writes an address; what is null or empty is left out. */
export function writeAddress(screen: string, query: Readonly<Record<string, string | number | null | undefined>> = {}): string {
  const parts = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') parts.set(name, String(value))
  }
  const text = parts.toString()
  return text === '' ? `#/${screen}` : `#/${screen}?${text}`
}

/** Where things are shown. */
export const placeOf = {
  event: (event: string, seq?: number | null): string => writeAddress('events', { event, seq }),
  arrival: (seq: number): string => writeAddress('events', { seq }),
  post: (post: string): string => writeAddress('events', { post }),
  job: (job: string, n?: number): string => writeAddress('posts', { job, try: n }),
  /** An instant on the Timeline. */
  instant: (at: number): string => writeAddress('timeline', { at }),
  /** A mark of the Timeline, by its key, at its instant. */
  mark: (mark: string, at: number): string => writeAddress('timeline', { mark, at }),
}
