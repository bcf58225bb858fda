// The desktop window's host. The only file that knows Tauri.

import { invoke } from '@tauri-apps/api/core'
import { listen } from '@tauri-apps/api/event'

import { words } from '../words'
import { imports } from '../words/imports'
import type { CallAnswer, CallArgs, CallName } from '../wire/calls'
import type { Go, Notice } from '../wire/wire'
import { type FileCall, type Host, isProblem, type Kept, type Listener, Trouble } from './host'

/** What the shell's command `host` takes. */
type Ask =
  | { do: 'ready' }
  | { do: 'save'; name: FileCall; args: unknown }
  | { do: 'open'; post: string; account: string }

async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (cause) {
    throw new Trouble(isProblem(cause) ? cause : { code: 'internal', message: words.link.unclear })
  }
}

const ask = <T>(what: Ask): Promise<T> => answered(invoke<T>('host', { ask: what }))

/** Calls by the command `call`, what only a window can do by `host`; hears `notice` and `go`. */
export function tauriHost(): Host {
  return {
    desktop: true,
    async call<N extends CallName>(name: N, args: CallArgs<N>): Promise<CallAnswer<N>> {
      return answered(invoke<CallAnswer<N>>('call', { name, args }))
    },
    async save<N extends FileCall>(name: N, args: CallArgs<N>): Promise<Kept> {
      return ask<Kept>({ do: 'save', name, args })
    },
    upload(): Promise<string> {
      // The window hears of dropped files by their paths, so no file needs a second copy.
      return Promise.reject(new Trouble({ code: 'refused', message: imports.only }))
    },
    listen(listener: Listener): () => void {
      // The subscription is ready only later; ending it before that must still end it.
      let ended = false
      const ready = Promise.all([
        listen<Notice>('notice', (event) => {
          if (!ended) listener.notice(event.payload.n)
        }),
        listen<Go>('go', (event) => {
          if (!ended) listener.go(event.payload)
        }),
      ])
      void ready.then(
        async () => {
          listener.link(true)
          // Where the desktop wanted to go before anybody listened.
          for (const to of await ask<Go[]>({ do: 'ready' })) if (!ended) listener.go(to)
        },
        () => listener.link(false),
      )
      return () => {
        ended = true
        void ready.then((offs) => offs.forEach((off) => off())).catch(() => undefined)
      }
    },
    open: (post, account) => ask<void>({ do: 'open', post, account }),
  }
}
