// The one door to the core. Two hosts stand behind it: the desktop window and a page from `reprise serve`.

import type { CallAnswer, CallArgs, CallName } from '../wire/calls'
import type { Code, Go, Problem, SavedFiles } from '../wire/wire'

/** What a host tells the screens without being asked. */
export interface Listener {
  /** Something changed; `n` counts up by one a notice. */
  notice(n: number): void
  /** The way to the core was lost (false) or came back (true). */
  link(up: boolean): void
  /** The desktop sends the screens somewhere: a menu, the tray, a notice, a dropped file, a second start. */
  go(to: Go): void
}

/** Calls that answer with files for a person to keep. */
export type FileCall = { [N in CallName]: CallAnswer<N> extends SavedFiles ? N : never }[CallName]

/** Where files went, in a sentence's words; null if the person chose not to keep them. */
export type Kept = { folder: string; names: string[] } | { downloads: string[] } | null

/** Asks the core, and hears from it. */
export interface Host {
  /** True in the desktop window: there is a tray, there are notices of the desktop, and closing is no end. */
  readonly desktop: boolean
  /** Rejects with a {@link Trouble}, never with anything else. */
  call<N extends CallName>(name: N, args: CallArgs<N>): Promise<CallAnswer<N>>
  /** Asks the core for files and has the person keep them: a window asks where, a page downloads them. */
  save<N extends FileCall>(name: N, args: CallArgs<N>): Promise<Kept>
  /** Hands a file over; the answer names it for `import_look` and `import_start`. Rejects with a {@link Trouble}. */
  upload(file: File): Promise<string>
  /** Starts to listen; the answer ends it. */
  listen(listener: Listener): () => void
  /** Sends the person's own browser to where a post is live on an account. Rejects with a {@link Trouble}. */
  open(post: string, account: string): Promise<void>
}

/** An answer that is no: the core's code, and a sentence for a person. */
export class Trouble extends Error {
  readonly code: Code

  constructor(problem: Problem) {
    super(problem.message)
    this.name = 'Trouble'
    this.code = problem.code
  }
}

/** True if the value has the shape of the core's `Problem`. */
export function isProblem(value: unknown): value is Problem {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Problem).code === 'string' &&
    typeof (value as Problem).message === 'string'
  )
}

/** The host of this page: the window if there is one around it, else HTTP. Loads the other one never. */
export async function findHost(): Promise<Host> {
  if ('__TAURI_INTERNALS__' in window) return (await import('./tauri')).tauriHost()
  return (await import('./http')).httpHost()
}
