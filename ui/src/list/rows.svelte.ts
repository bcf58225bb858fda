// A live list over keyset pages with constant memory: at most `MOST_PAGES` pages are held, however far one scrolls.
// While the reader is at the newest row the list follows. While they look back it stands still: rows are renewed in
// place, and what is new is only counted.

import { freshCount, joined, type Loaded, renewed } from './pages'
import { placeAt } from './place'

/** Rows of a page. */
export const PAGE = 100
const MOST_PAGES = 5
/** Pages that are read at most to find the one that comes down to an instant. */
const TRIES = 40
/** New rows that make such a page worth taking at once. */
const ENOUGH = 30

/** Where a list gets its pages. Answers null if it could not be read. */
export interface Source<Row> {
  page(after: string | null, limit: number): Promise<{ rows: Row[]; next: string | null } | null>
  id(row: Row): string
  /** True if rows may move anywhere, not only up: then every held page is read again. */
  restless: boolean
  /** When a row came, milliseconds, where rows stand in order of that, the newest first, and pages begin at a `placeAt` as well. */
  at?(row: Row): number
}

/** The held part of a list. */
export class Rows<Row> {
  /** Held pages, neighbours, newest first. */
  pages = $state.raw<Loaded<Row>[]>([])
  /** False until the first answer. */
  ready = $state(false)
  /** New rows that came while the reader looks back. */
  fresh = $state(0)
  readonly all: Row[] = $derived(joined(this.pages, (row) => this.#source.id(row)))
  /** True if the held part begins with the newest page. */
  readonly atNewest = $derived((this.pages[0]?.after ?? null) === null)
  /** True if nothing is behind the held part. */
  readonly atEnd = $derived(this.ready && (this.pages.at(-1)?.next ?? null) === null)

  #source: Source<Row>
  readonly #land: (step: () => void) => void
  /** Cursors of pages let go at the newest side, nearest last. */
  #before: (string | null)[] = []
  #follows = true
  #turn = 0
  #moving = false

  /** `land` lets in what was read; the screens let it in with the next frame. */
  constructor(source: Source<Row>, land: (step: () => void) => void = (step) => step()) {
    this.#source = source
    this.#land = land
  }

  /** Starts anew, with another source if one is given. */
  async reset(source: Source<Row> = this.#source): Promise<void> {
    this.#source = source
    this.#follows = true
    this.#before = []
    this.pages = []
    this.ready = false
    this.fresh = 0
    this.#turn += 1
    await this.refresh()
  }

  /** Tells whether the reader is at the newest row. Coming back to it shows what was counted. */
  follow(on: boolean): void {
    if (on === this.#follows || (on && !this.atNewest)) return
    this.#follows = on
    if (on) void this.refresh()
  }

  /** Holds the page that begins with what came at an instant or last before it; what is newer is read when it is scrolled to. */
  async goTo(ms: number): Promise<void> {
    const at = this.#source.at?.bind(this.#source)
    if (!at) return
    this.#turn += 1
    const turn = this.#turn
    const after = placeAt(ms)
    const page = await this.#source.page(after, PAGE)
    if (!page) return
    await this.#take(turn, () => {
      this.#follows = false
      this.#before = []
      this.pages = [{ after, ...page }]
      this.ready = true
      this.fresh = 0
    })
    // Before the first row there is nothing: the first rows are shown instead.
    if (page.rows.length === 0 && turn === this.#turn) await this.#above(at, ms)
  }

  /** Reads the newest state of what is shown. */
  async refresh(): Promise<void> {
    const turn = this.#turn
    const head = await this.#source.page(null, PAGE)
    if (!head || turn !== this.#turn) return
    const newest: Loaded<Row> = { after: null, rows: head.rows, next: head.next }
    const rereads = this.#source.restless && this.atNewest && !this.#alone()
    const chain = rereads ? await this.#chain(newest, this.pages.length) : null
    await this.#take(turn, () => {
      this.ready = true
      if (this.#alone()) {
        this.pages = [newest]
        this.fresh = 0
      } else if (chain) this.pages = chain
      else {
        const id = (row: Row): string => this.#source.id(row)
        if (this.atNewest) this.fresh = freshCount(this.all, head.rows, id)
        this.pages = renewed(this.pages, head.rows, id)
      }
    })
  }

  /** True if the newest page is all that is to be held. */
  #alone(): boolean {
    return this.#follows && !this.#moving && (this.pages.length <= 1 || !this.#source.restless)
  }

  /** Lets in what was read, unless the list was started anew meanwhile. */
  #take(turn: number, step: () => void): Promise<void> {
    return new Promise((done) =>
      this.#land(() => {
        if (turn === this.#turn) step()
        done()
      }),
    )
  }

  /** Reads the held pages again and renews their rows in place, for changes that move no row. */
  async renew(): Promise<void> {
    if (this.#follows) return
    const turn = this.#turn
    const again = await Promise.all(this.pages.map((page) => this.#again(page)))
    await this.#take(turn, () => {
      if (this.#follows) return
      const newer = again.flatMap((page) => [...page.rows])
      this.pages = renewed(this.pages, newer, (row) => this.#source.id(row))
    })
  }

  /** Holds the page behind the last one, and lets the first one go if too many are held. */
  async older(): Promise<void> {
    const last = this.pages.at(-1)
    if (!last || last.next === null) return
    await this.#move(last.next, (page) => {
      const pages = [...this.pages, page]
      if (pages.length > MOST_PAGES) this.#before.push(pages.shift()?.after ?? null)
      this.pages = pages
    })
  }

  /** Holds the page before the first one again, and lets the last one go if too many are held. */
  async newer(): Promise<void> {
    if (this.atNewest) return
    const at = this.#source.at?.bind(this.#source)
    const first = this.all[0]
    if (at && first && this.#before.length === 0) return this.#above(at, at(first))
    await this.#move(this.#before.at(-1) ?? null, (page) => {
      this.#before.pop()
      this.pages = [page, ...this.pages].slice(0, MOST_PAGES)
    })
  }

  /**
   * Holds what is newer than an instant, down to it. Pages are read from the newest row on, so the place is sought from which
   * a page comes down to that instant and not farther than need be.
   */
  async #above(at: (row: Row) => number, edge: number): Promise<void> {
    if (this.#moving) return
    this.#moving = true
    const turn = this.#turn
    try {
      let [near, far, reach]: [number, number | null, number | null] = [0, null, null]
      let best: Loaded<Row> | null = null
      for (let n = 0; n < TRIES && turn === this.#turn; n++) {
        const after: string | null = reach === null ? null : placeAt(edge + reach)
        const page = await this.#source.page(after, PAGE)
        if (!page) return
        const last = page.rows.at(-1)
        const meets = page.next === null || (last !== undefined && at(last) <= edge)
        const fresh = freshCount(this.all, page.rows, (row) => this.#source.id(row))
        if (meets && (fresh > 0 || after === null)) best = { after, ...page }
        if (meets && (fresh >= ENOUGH || after === null)) break
        if (meets) near = reach ?? 0
        else far = reach ?? far
        if (far !== null && far - near <= 1) {
          // So much came within a millisecond that no page comes down to it: that page is where to go on.
          if (!best) return void (await this.#take(turn, () => (this.pages = [{ after, ...page }])))
          break
        }
        reach = far === null ? Math.max(1000, near * 8) : Math.floor((near + far) / 2)
      }
      const found = best
      if (found) await this.#take(turn, () => (this.pages = [found, ...this.pages].slice(0, MOST_PAGES)))
    } finally {
      this.#moving = false
    }
  }

  async #move(after: string | null, take: (page: Loaded<Row>) => void): Promise<void> {
    if (this.#moving) return
    this.#moving = true
    const turn = this.#turn
    try {
      const page = await this.#source.page(after, PAGE)
      if (page) await this.#take(turn, () => take({ after, ...page }))
    } finally {
      this.#moving = false
    }
  }

  /** As many pages as were held, each behind the one before, so that a row that moved leaves no gap. */
  async #chain(first: Loaded<Row>, count: number): Promise<Loaded<Row>[]> {
    const pages = [first]
    let after = first.next
    while (after !== null && pages.length < count) {
      const page = await this.#again({ after, rows: [], next: null })
      pages.push(page)
      after = page.next
    }
    return pages
  }

  async #again(page: Loaded<Row>): Promise<Loaded<Row>> {
    const fresh = await this.#source.page(page.after, PAGE)
    return fresh ? { after: page.after, ...fresh } : page
  }
}
