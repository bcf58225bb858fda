// A core made of answers, for tests of the screens without a program behind them.

import { type FileCall, type Host, type Kept, type Listener, Trouble } from '../host/host'
import type { Go } from '../wire/wire'
import type { CallAnswer, CallArgs, CallName, Calls } from '../wire/calls'
import { contractSettings, noChain, statusOf, storage } from './rows'

/** What to answer to a call; a call without an answer is refused. */
export type Answers = { [N in CallName]?: (args: Calls[N][0]) => Calls[N][1] }

/** What the parts of a screen ask for by themselves. */
const SETTINGS: Answers = {
  contract_settings: () => contractSettings(),
  try_signature: () => ({ at: null, seq: null, found: 'no_message', alike: [], suggest: null, id_header: null }),
  storage: () => storage(),
  chain: () => noChain,
}

/** Answers from a table, and remembers what it was asked. */
export class TableHost implements Host {
  readonly desktop: boolean = false
  /** Posts it was asked to open. */
  readonly opened: string[] = []
  readonly asked: { name: CallName; args: unknown }[] = []
  answers: Answers
  #listener: Listener | null = null
  #n = 0

  constructor(answers: Answers = {}) {
    this.answers = { status: () => statusOf(), ...SETTINGS, ...answers }
  }

  async call<N extends CallName>(name: N, args: CallArgs<N>): Promise<CallAnswer<N>> {
    this.asked.push({ name, args })
    const answer = this.answers[name] as ((args: CallArgs<N>) => CallAnswer<N>) | undefined
    if (!answer) throw new Trouble({ code: 'refused', message: `No answer to ${name}.` })
    return answer(args)
  }

  async save<N extends FileCall>(name: N, args: CallArgs<N>): Promise<Kept> {
    const { files } = await this.call(name, args)
    return { downloads: files.map((file) => file.name) }
  }

  async upload(file: File): Promise<string> {
    return `upload of ${file.name}`
  }

  listen(listener: Listener): () => void {
    this.#listener = listener
    listener.link(true)
    return () => (this.#listener = null)
  }

  open(post: string, account: string): Promise<void> {
    this.opened.push(`${post}/${account}`)
    return Promise.resolve()
  }

  /** Sends the screens somewhere, as the desktop does. */
  go(to: Go): void {
    this.#listener?.go(to)
  }

  /** Says that something changed. */
  notice(): void {
    this.#n += 1
    this.#listener?.notice(this.#n)
  }

  /** Arguments of all calls of a name. */
  argsOf<N extends CallName>(name: N): CallArgs<N>[] {
    return this.asked.filter((call) => call.name === name).map((call) => call.args as CallArgs<N>)
  }
}
