// What every screen shares: the host, the core's status, the clock, the choices, and the one loop that pulls.

import { flushSync, getContext, setContext } from 'svelte'

import { type FileCall, type Host, type Kept, Trouble } from '../host/host'
import type { CallAnswer, CallArgs, CallName } from '../wire/calls'
import { Palette } from '../palette/palette.svelte'
import { Inquiry } from '../why/inquiry.svelte'
import type { AccountZones, Go, Status, Thing } from '../wire/wire'
import type { Brought } from './brought'
import { type Address, placeOf, readAddress, writeAddress } from './address'
import { FrameLoop } from './frameloop'
import { Frames } from './frames.svelte'
import { eventOf } from './keymap'
import { nextFrame, Pull } from './pull'
import { loadTaste, saveTaste, type Taste } from './taste'
import { Clockface, ZONES } from './times'
import { words } from '../words'
import { desktopWords } from '../words/desktop'

/** The screens of the rail, in its order. */
export const SCREENS = ['timeline', 'events', 'posts', 'why', 'test', 'settings'] as const
/** One screen. */
export type Screen = (typeof SCREENS)[number]

/** A thing of the log that a screen can be asked to show. */
export type Aim = { kind: 'event'; id: string } | { kind: 'job'; id: string } | { kind: 'set_aside'; id: '' }

/** Time passes at offers and key clocks without any notice; this often at least the core is asked. */
const HEARTBEAT_MS = 20_000

/** Zones of posts change seldom; they are read at most this often. */
const ZONES_EVERY_MS = 10_000

/** The state behind the frame. One a page. */
export class Desk {
  readonly host: Host
  status = $state.raw<Status | null>(null)
  screen = $state<Screen>('timeline')
  /** Posts that are taken together at the Posts: none while nobody asked, empty to choose them by a filter. */
  together = $state.raw<readonly string[] | null>(null)
  /** The import dialog, with the files it opens with; null while it is closed. Set it to open the dialog. */
  brought = $state.raw<Brought | null>(null)
  /** The command box. */
  readonly palette = new Palette()
  taste = $state.raw<Taste>(loadTaste())
  /** The core's present time, moved on by this page's clock between answers; whole seconds apart. */
  now = $state(0)
  /** False while the way to the core is lost. */
  linked = $state(true)
  /** What went wrong with the last act, until it is dismissed. */
  trouble = $state<string | null>(null)
  /** Said once to those who listen: the outcome of an act that shows nothing. */
  said = $state('')
  /** What is selected on the screen, as Why twice? can be asked about it. */
  selected = $state.raw<Thing | null>(null)
  /** The question of Why twice? with its answer. */
  readonly inquiry = new Inquiry(this)
  /** Times the frames while somebody looks at them. */
  readonly frames = new Frames()
  /** Lets in what came and draws, once a frame. */
  readonly loop = new FrameLoop(() => flushSync(), this.frames)
  /** True while the keys are shown. */
  keysShown = $state(false)
  /** True once someone chose to look around without connecting. */
  looksAround = $state(false)
  /** What the page's address says. */
  address = $state.raw<Address>(readAddress(''))
  /** The zones that posts are planned in, as far as the log knows; read while times are shown in them. */
  zones = $state.raw<AccountZones>({ usual: null, accounts: [] })
  readonly face = $derived(this.#faceIn(this.#zone()))
  readonly firstRun = $derived(
    this.status !== null && !this.status.workspace && !this.status.practice && !this.status.case && !this.looksAround,
  )

  /** Counts up whenever the log may have changed: what was read before holds while it stays. */
  changes = 0

  #skew = 0
  /** Counts the statuses that were taken, so that none that was read before takes the place of a later one. */
  #taken = 0
  /** When the zones were read last, by this page's clock. */
  #zonesRead = 0
  readonly #pull: Pull
  readonly #works = new Set<() => Promise<void>>()
  /** One a zone: the formatters behind it are costly. */
  readonly #faces = new Map<string, Clockface>()

  constructor(host: Host) {
    this.host = host
    this.#pull = new Pull(() => this.#work(), nextFrame)
  }

  /** Starts the clock and listens; the answer ends both. */
  start(): () => void {
    const unlisten = this.host.listen({
      notice: () => {
        this.changes += 1
        this.#pull.want()
      },
      link: (up) => {
        this.linked = up
        this.changes += 1
        if (up) this.#pull.want()
      },
      go: (to) => this.follow(to),
    })
    const seconds = setInterval(() => this.tick(), 1000)
    const beats = setInterval(() => this.#pull.want(), HEARTBEAT_MS)
    const shown = (): void => {
      if (document.visibilityState === 'visible') this.#pull.want()
    }
    document.addEventListener('visibilitychange', shown)
    this.#pull.want()
    return () => {
      unlisten()
      clearInterval(seconds)
      clearInterval(beats)
      document.removeEventListener('visibilitychange', shown)
    }
  }

  /** Has a piece of work done at every pull, beginning with the next; the answer ends it. It must not reject. */
  at(work: () => Promise<void>): () => void {
    this.#works.add(work)
    this.#pull.want()
    return () => this.#works.delete(work)
  }

  /** Asks for a pull soon. */
  refresh(): void {
    this.#pull.want()
  }

  /** Reads from the core; null if it could not be read, which the link or the trouble line then says. */
  async read<N extends CallName>(name: N, args: CallArgs<N>): Promise<CallAnswer<N> | null> {
    try {
      const answer = await this.host.call(name, args)
      this.linked = true
      return answer
    } catch (cause) {
      this.#fail(cause)
      return null
    }
  }

  /** Acts; null if the answer was no, which the trouble line then says. Pulls afterwards in any case. */
  async act<N extends CallName>(name: N, args: CallArgs<N>): Promise<CallAnswer<N> | null> {
    this.trouble = null
    const answer = await this.read(name, args)
    this.changes += 1
    this.#pull.want()
    return answer
  }

  /** Takes a status as the newest. */
  take(status: Status): void {
    this.#taken += 1
    this.status = status
    this.#skew = status.now.ms - Date.now()
    this.tick()
  }

  /** Keeps a choice. */
  choose(change: Partial<Taste>): void {
    this.taste = { ...this.taste, ...change }
    saveTaste(this.taste)
    if (change.zone === 'account') {
      this.#zonesRead = 0
      this.#pull.want()
    }
  }

  /** Goes to a screen. */
  go(screen: Screen): void {
    location.hash = writeAddress(screen)
  }

  /** Says in the page's address what is looked at now, without a new step on the way back. */
  note(query: Readonly<Record<string, string | number | null | undefined>>): void {
    const hash = writeAddress(this.screen, query)
    history.replaceState(history.state, '', hash)
    this.address = readAddress(hash)
  }

  /** The clockface for what is planned in a zone: that zone's where account times are shown, else that of the screens. */
  faceOf(zone: string | null | undefined): Clockface {
    return zone && this.taste.zone === 'account' ? this.#faceIn(zone) : this.face
  }

  /** The zone that posts of an account are planned in; null if the log does not say. */
  zoneOf(account: string | null): string | null {
    return this.zones.accounts.find((one) => one.account === account)?.zone ?? null
  }

  #zone(): string {
    const local = this.status?.zone ?? 'UTC'
    if (this.taste.zone === 'utc') return 'UTC'
    return this.taste.zone === 'account' ? (this.zones.usual ?? local) : local
  }

  #faceIn(zone: string): Clockface {
    const known = this.#faces.get(zone)
    if (known) return known
    const face = new Clockface(zone)
    this.#faces.set(zone, face)
    return face
  }

  /** Goes to where a thing is shown, and has it chosen there. */
  show(aim: Aim): void {
    location.hash =
      aim.kind === 'event'
        ? placeOf.event(aim.id)
        : aim.kind === 'job'
          ? placeOf.job(aim.id)
          : writeAddress('events', { only: 'set_aside' })
  }

  /** Does what the desktop sends the screens to do. */
  follow(to: Go): void {
    switch (to.kind) {
      case 'screen': {
        const screen = SCREENS.find((one) => one === to.id)
        if (screen) this.go(screen)
        break
      }
      case 'job':
      case 'event':
        this.show(to)
        break
      case 'post':
        location.hash = placeOf.post(to.id)
        break
      case 'set_aside':
        this.show({ kind: 'set_aside', id: '' })
        break
      case 'import':
        this.bring({ paths: to.paths })
        break
      case 'palette':
        this.palette.open = true
        break
      case 'keys':
        this.keysShown = true
        break
      case 'save_case':
        // The screen that shows a case saves it by its own key.
        if (this.screen === 'why') window.dispatchEvent(eventOf('why.save'))
        else this.trouble = desktopWords.noCase
        break
      case 'theme':
        if (to.id === 'system' || to.id === 'light' || to.id === 'dark') this.choose({ theme: to.id })
        break
      case 'zone':
        this.nextZone()
        break
    }
  }

  /** Shows all times in the next zone. */
  nextZone(): void {
    this.choose({ zone: ZONES[(ZONES.indexOf(this.taste.zone) + 1) % ZONES.length] ?? 'local' })
  }

  /** Opens the import with these files. Whoever was handed a log needs no connection first. */
  bring(files: Brought): void {
    if (this.firstRun) this.looksAround = true
    this.brought = files
  }

  /** Goes to the dry run of many posts: of these jobs, or of a filter if there are none. */
  takeTogether(jobs: readonly string[]): void {
    this.together = jobs
    this.go('posts')
  }

  /** Puts a text on the clipboard, and says whether it could. */
  async copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      this.said = words.detail.copied
    } catch {
      this.trouble = words.detail.copyFailed
    }
  }

  /** Says what is selected on the screen that is shown; the answer takes that back. */
  select(thing: Thing | null): () => void {
    this.selected = thing
    return () => {
      this.selected = null
    }
  }

  /** Opens Why twice? with these things in its box; without any, as it was left. */
  why(things: readonly Thing[]): void {
    if (things.length > 0) void this.inquiry.ask(things)
    this.go('why')
  }

  /** Has the person keep files of the core; null if they are not kept, or could not be, which the trouble line then says. */
  async save<N extends FileCall>(name: N, args: CallArgs<N>): Promise<Kept> {
    this.trouble = null
    try {
      return await this.host.save(name, args)
    } catch (cause) {
      this.#fail(cause)
      return null
    }
  }

  /** Moves the clock on. */
  tick(): void {
    this.now = Date.now() + this.#skew
  }

  async #work(): Promise<void> {
    this.frames.pulled()
    const taken = this.#taken
    const status = await this.read('status', {})
    if (status && this.status === null) this.take(status)
    else if (status) this.loop.land(() => taken === this.#taken && this.take(status))
    if (this.taste.zone === 'account' && Date.now() - this.#zonesRead > ZONES_EVERY_MS) {
      this.#zonesRead = Date.now()
      this.zones = (await this.read('account_zones', {})) ?? this.zones
    }
    await Promise.all([...this.#works].map((work) => work()))
  }

  #fail(cause: unknown): void {
    if (cause instanceof Trouble && cause.code === 'unreachable' && this.status === null) this.linked = false
    this.trouble = cause instanceof Error ? cause.message : String(cause)
  }
}

const KEY = Symbol('desk')

/** Gives the desk to all parts below. */
export function provideDesk(desk: Desk): void {
  setContext(KEY, desk)
}

/** The desk of this page. */
export function useDesk(): Desk {
  return getContext<Desk>(KEY)
}
