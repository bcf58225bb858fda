// The host of a page from `reprise serve`: the same calls over loopback HTTP, the cookie set when the page loads.

import { words } from '../words'
import type { CallAnswer, CallArgs, CallName } from '../wire/calls'
import { hostWords } from '../words/desktop'
import { type FileCall, type Host, isProblem, type Kept, type Listener, Trouble } from './host'
import { download } from './save'

/** `POST /call/<name>` for calls, `GET /notices` (server-sent events) for notices. */
export function httpHost(): Host {
  const host: Host = {
    desktop: false,
    async call<N extends CallName>(name: N, args: CallArgs<N>): Promise<CallAnswer<N>> {
      let answer: Response
      let body: unknown
      try {
        answer = await fetch(`/call/${name}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(args),
        })
        body = await answer.json()
      } catch {
        throw new Trouble({ code: 'unreachable', message: words.link.lost })
      }
      if (answer.ok) return body as CallAnswer<N>
      throw new Trouble(isProblem(body) ? body : { code: 'internal', message: words.link.unclear })
    },
    async save<N extends FileCall>(name: N, args: CallArgs<N>): Promise<Kept> {
      const { files } = await host.call(name, args)
      return { downloads: download(files) }
    },
    async upload(file: File): Promise<string> {
      let answer: Response
      let body: unknown
      try {
        answer = await fetch(`/upload/${encodeURIComponent(file.name)}`, { method: 'POST', body: file })
        body = await answer.json()
      } catch {
        throw new Trouble({ code: 'unreachable', message: words.link.lost })
      }
      const upload = (body as { upload?: unknown }).upload
      if (answer.ok && typeof upload === 'string') return upload
      throw new Trouble(isProblem(body) ? body : { code: 'internal', message: words.link.unclear })
    },
    listen(listener: Listener): () => void {
      // EventSource reconnects by itself; what was missed meanwhile is pulled when the link is back.
      const source = new EventSource('/notices')
      source.onopen = () => listener.link(true)
      source.onerror = () => listener.link(false)
      source.onmessage = (event: MessageEvent<string>) => {
        const n: unknown = (JSON.parse(event.data) as { n?: unknown }).n
        if (typeof n === 'number') listener.notice(n)
      }
      return () => source.close()
    },
    async open(post: string, account: string): Promise<void> {
      // The address comes from the core's own rows, whatever the page believes.
      const found = (await host.call('links', { post })).find((row) => row.account === account)
      if (!found) throw new Trouble({ code: 'not_found', message: hostWords.noLink })
      window.open(found.url, '_blank', 'noopener,noreferrer')
    },
  }
  return host
}
