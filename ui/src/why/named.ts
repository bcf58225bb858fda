// What the core calls by its id is called by what a person knows of it: posts by their order or their words, jobs by their
// time, messages by what they say. The id stays with the link, for whoever needs it. Pure.

import { placeOf } from '../state/address'
import type { Clockface } from '../state/times'
import type { CaseNode, WhyAnswer } from '../wire/wire'
import { nodeWords, why } from '../words/why'

/** What is named here of a case. */
type Case = Pick<WhyAnswer, 'posts' | 'chain'>

/** A thing of a case by its name for people. */
export interface Name {
  text: string
  href: string
}

/** A stretch of a sentence: plain, or the name of a thing with its id. */
export interface Part {
  text: string
  id: string | null
  href: string | null
}

/** First words of a post, short enough for the middle of a sentence. */
export function quoted(text: string, most = 40): string {
  const words = text.trim()
  if (words.length <= most) return `“${words}”`
  const cut = words.slice(0, most)
  return `“${cut.slice(0, Math.max(cut.lastIndexOf(' '), most / 2)).trimEnd()} …”`
}

/** What the ids of a case are called. An id that nothing better is known for, or whose name another one has, is left out. */
export function namesOf(of: Case, face: Clockface, now: number): Map<string, Name> {
  const names = new Map<string, Name>()
  const nodes = (kind: CaseNode['kind']): CaseNode[] => of.chain.nodes.filter((node) => node.kind === kind)
  of.posts.forEach((post, n) => {
    const words = nodes('post').find((node) => node.name === post)?.text?.trim() ?? ''
    const text = of.posts.length > 1 ? why.nthPost(n) : words === '' ? null : quoted(words)
    if (text !== null) names.set(post, { text, href: placeOf.post(post) })
  })
  for (const job of nodes('job')) {
    if (job.at_ms !== null) names.set(job.name, { text: why.jobOf(face.full(job.at_ms, now)), href: placeOf.job(job.name) })
  }
  for (const message of nodes('message')) names.set(message.name, { text: `“${nodeWords(message, face).title}”`, href: placeOf.event(message.name) })
  const times = new Map<string, number>()
  for (const { text } of names.values()) times.set(text, (times.get(text) ?? 0) + 1)
  return new Map([...names].filter(([, { text }]) => times.get(text) === 1))
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** A sentence of the core with its ids named. A name that begins a sentence begins with a capital. */
export function named(sentence: string, names: ReadonlyMap<string, Name>): Part[] {
  if (names.size === 0) return [{ text: sentence, id: null, href: null }]
  const ids = [...names.keys()].sort((a, b) => b.length - a.length).map(escaped)
  const parts: Part[] = []
  let from = 0
  for (const found of sentence.matchAll(new RegExp(`(?<![\\w-])(?:${ids.join('|')})(?![\\w-])`, 'g'))) {
    const [id] = found
    const name = names.get(id)
    if (!name) continue
    const before = sentence.slice(from, found.index)
    if (before !== '') parts.push({ text: before, id: null, href: null })
    const begins = /(?:^|[.:!?] )$/.test(sentence.slice(0, found.index))
    parts.push({ text: begins ? name.text.charAt(0).toUpperCase() + name.text.slice(1) : name.text, id, href: name.href })
    from = found.index + id.length
  }
  if (from < sentence.length) parts.push({ text: sentence.slice(from), id: null, href: null })
  return parts
}

/** A post of a case in a line: when it was first known, where it went, its words. */
export interface PostLine {
  post: string
  name: string
  href: string
  says: string
}

/** The posts of a case that has several, oldest first. */
export function postLines(of: Case, face: Clockface, now: number): PostLine[] {
  if (of.posts.length < 2) return []
  const nodes = new Map(of.chain.nodes.map((node) => [node.id, node]))
  return of.posts.flatMap((post, n) => {
    const node = of.chain.nodes.find((one) => one.kind === 'post' && one.name === post)
    if (!node) return []
    const told = of.chain.links.flatMap((link) => (link.from === node.id ? [nodes.get(link.to)?.platform ?? null] : []))
    const words = node.text?.trim() ? quoted(node.text, 60) : why.wordsUnknown
    const at = node.at_ms === null ? null : face.full(node.at_ms, now)
    return [{ post, name: why.nthPost(n), href: placeOf.post(post), says: why.postSays(at, [...new Set(told.filter((name) => name !== null))], words) }]
  })
}
