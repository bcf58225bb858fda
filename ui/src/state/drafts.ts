// Posts that are written and not sent, kept with the page per log and workspace: a reload, a page that died and a look at
// another screen lose nothing. They leave with their sending, or with the page. Nothing of them reaches another log or
// workspace of the same address.

import { type Draft, type Picked, emptyDraft } from './draft'

/** Where they are kept; a page that may not store has none. */
type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** What is kept for one log. */
interface Kept {
  /** What is being written: the body it starts from, empty for a post of its own; null while nothing is. */
  open: string | null
  /** Drafts by the body that they start from. */
  drafts: Record<string, unknown>
}

/** The drafts of one log and workspace. */
export class Drafts {
  readonly #name: string
  readonly #shelf: Shelf | null

  constructor(log: string, shelf: Shelf | null = pageShelf()) {
    this.#name = `reprise.drafts ${log}`
    this.#shelf = shelf
  }

  /** What was being written when the page was last there. */
  get open(): string | null {
    return this.#read().open
  }

  /** Says what is being written now. */
  set open(from: string | null) {
    this.#write({ ...this.#read(), open: from })
  }

  /** The draft that starts from that body; its odd or missing fields are those of `empty`. */
  get(from: string, empty: Draft): Draft | null {
    const found = this.#read().drafts[from]
    return found === undefined ? null : readDraft(found, empty)
  }

  keep(from: string, draft: Draft): void {
    const kept = this.#read()
    this.#write({ ...kept, drafts: { ...kept.drafts, [from]: draft } })
  }

  /** Lets go of a draft that was sent or thrown away. */
  drop(from: string): void {
    const { open, drafts } = this.#read()
    const rest = Object.entries(drafts).filter(([name]) => name !== from)
    this.#write({ open: open === from ? null : open, drafts: Object.fromEntries(rest) })
  }

  #read(): Kept {
    try {
      const found: unknown = JSON.parse(this.#shelf?.getItem(this.#name) ?? 'null')
      if (isRecord(found)) {
        return { open: typeof found['open'] === 'string' ? found['open'] : null, drafts: isRecord(found['drafts']) ? found['drafts'] : {} }
      }
    } catch {
      // What cannot be read is no draft.
    }
    return { open: null, drafts: {} }
  }

  #write(kept: Kept): void {
    try {
      if (kept.open === null && Object.keys(kept.drafts).length === 0) this.#shelf?.removeItem(this.#name)
      else this.#shelf?.setItem(this.#name, JSON.stringify(kept))
    } catch {
      // A page that may not store keeps what stands in the form as long as the form is there.
    }
  }
}

function pageShelf(): Shelf | null {
  try {
    return sessionStorage
  } catch {
    return null
  }
}

function readDraft(found: unknown, empty: Draft): Draft {
  const from = isRecord(found) ? found : {}
  const word = (name: keyof Draft, otherwise: string): string => (typeof from[name] === 'string' ? from[name] : otherwise)
  const targets = Array.isArray(from['targets']) ? from['targets'].filter(isRecord) : []
  return {
    content: word('content', empty.content),
    targets: targets.flatMap(({ platform, account }) => (typeof platform === 'string' && typeof account === 'string' ? [{ platform, account }] : [])),
    later: from['later'] === true,
    date: word('date', empty.date),
    time: word('time', empty.time),
    zone: word('zone', empty.zone),
    picked: isPicked(from['picked']) ? from['picked'] : null,
    media: word('media', empty.media),
    form: word('form', empty.form),
  }
}

function isPicked(found: unknown): found is Picked {
  return isRecord(found) && ['scheduled_for', 'timezone', 'text'].every((name) => typeof found[name] === 'string')
}

function isRecord(found: unknown): found is Record<string, unknown> {
  return typeof found === 'object' && found !== null && !Array.isArray(found)
}

/** True if nothing was written into a draft yet. */
export function isBlank(draft: Draft): boolean {
  const empty = emptyDraft(draft.zone, draft.form)
  return JSON.stringify({ ...empty, ...draft }) === JSON.stringify(empty)
}
