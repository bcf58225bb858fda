// One question and its answer: what is in the box, the verdict, what a case file would hold. Kept by the desk, so that it
// is still there after a look at another screen.

import type { CallAnswer, CallArgs, CallName } from '../wire/calls'
import type { Thing, WhyAlike, WhyAnswer, WhyArgs, WhyCase } from '../wire/wire'

/** The part of the desk that it needs. */
interface Reader {
  read<N extends CallName>(name: N, args: CallArgs<N>): Promise<CallAnswer<N> | null>
}

const FIELDS = { post: 'posts', url: 'urls', text: 'texts', key: 'keys', event: 'events', job: 'jobs' } as const

/** What is asked, and what came of it. */
export class Inquiry {
  things = $state.raw<readonly Thing[]>([])
  answer = $state.raw<WhyAnswer | null>(null)
  case = $state.raw<WhyCase | null>(null)
  alike = $state.raw<WhyAlike | null>(null)
  asking = $state(false)
  readonly #desk: Reader
  #turn = 0

  constructor(desk: Reader) {
    this.#desk = desk
  }

  /** The question as the core takes it. */
  get args(): WhyArgs {
    return argsOf(this.things)
  }

  /** Adds what was pasted or dropped; true if it was something. */
  async add(pasted: string): Promise<boolean> {
    if (pasted.trim() === '') return false
    const looked = await this.#desk.read('why_look', { text: pasted })
    if (!looked) return false
    this.take(looked.things)
    return looked.things.length > 0
  }

  /** Adds things that are known for what they are. */
  take(things: readonly Thing[]): void {
    const fresh = things.filter((thing) => !this.things.some((known) => known.kind === thing.kind && known.value === thing.value))
    this.things = [...this.things, ...fresh]
  }

  /** Takes one out. */
  remove(thing: Thing): void {
    this.things = this.things.filter((one) => one !== thing)
  }

  /** Begins anew with these. */
  async ask(things: readonly Thing[]): Promise<void> {
    this.things = []
    this.answer = null
    this.case = null
    this.alike = null
    this.take(things)
    const [only] = things
    if (things.length === 1 && only?.kind === 'job') {
      this.asking = true
      const mine = ++this.#turn
      const beside = await this.#beside(only.value)
      if (mine !== this.#turn) return
      this.take(beside)
    }
    await this.find()
  }

  /** The posts that a job's own post was sent beside although nearly the same words were live: two are there, so both are meant. */
  async #beside(job: string): Promise<Thing[]> {
    const row = (await this.#desk.read('job', { job }))?.row
    if (!row?.warnings.includes('near_live_post')) return []
    const told = await this.#desk.read('forecast', { job, action: 'post_again' })
    const others = (told?.beside ?? []).filter((one) => !one.own && one.post !== null && one.post !== row.post)
    return others.map((one) => ({ kind: 'post', value: one.post ?? '', known: true }))
  }

  /** Asks the core. The case file and other jobs are looked at afterwards, so that the verdict waits for nothing. */
  async find(): Promise<void> {
    if (this.things.length === 0) return
    const mine = ++this.#turn
    const { args } = this
    this.asking = true
    const answer = await this.#desk.read('why', args)
    if (mine !== this.#turn) return
    this.asking = false
    if (!answer) return
    this.answer = answer
    this.case = null
    this.alike = null
    const found = await this.#desk.read('why_case', args)
    if (mine === this.#turn && found) this.case = found
    const alike = await this.#desk.read('why_alike', args)
    if (mine === this.#turn && alike) this.alike = alike
  }
}

/** Things as the arguments of the call. */
export function argsOf(things: readonly Thing[]): WhyArgs {
  const args: WhyArgs = { posts: [], urls: [], texts: [], keys: [], events: [], jobs: [] }
  for (const thing of things) args[FIELDS[thing.kind]].push(thing.value)
  return args
}
