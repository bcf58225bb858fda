// The desktop window's host. The only file that knows Tauri.

import { invoke } from '@tauri-apps/api/core'
import { listen } from '@tauri-apps/api/event'

import { words } from '../words'
import { imports } from '../words/imports'
import type { CallAnswer, CallArgs, CallName } from '../wire/calls'
import type { Notice } from '../wire/wire'
import { type FileCall, type Host, isProblem, type Kept, type Listener, Trouble } from './host'

/** Calls by the one command `call`; notices by the one event `notice`. */
export function tauriHost(): Host {
  return {
    async call<N extends CallName>(name: N, args: CallArgs<N>): Promise<CallAnswer<N>> {
      try {
        return await invoke<CallAnswer<N>>('call', { name, args })
      } catch (cause) {
        throw new Trouble(isProblem(cause) ? cause : { code: 'internal', message: words.link.unclear })
      }
    },
    async save<N extends FileCall>(name: N, args: CallArgs<N>): Promise<Kept> {
      try {
        return await invoke<Kept>('save', { name, args })
      } catch (cause) {
        throw new Trouble(isProblem(cause) ? cause : { code: 'internal', message: words.link.unclear })
      }
    },
    upload(): Promise<string> {
      // The window hears of dropped files by their paths, so no file needs a second copy.
      return Promise.reject(new Trouble({ code: 'refused', message: imports.only }))
    },
    listen(listener: Listener): () => void {
      // The subscription is ready only later; ending it before that must still end it.
      let ended = false
      const ready = listen<Notice>('notice', (event) => {
        if (!ended) listener.notice(event.payload.n)
      })
      void ready.then(
        () => listener.link(true),
        () => listener.link(false),
      )
      return () => {
        ended = true
        void ready.then((off) => off()).catch(() => undefined)
      }
    },
  }
}
