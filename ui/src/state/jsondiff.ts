// What differs between two bodies, line by line, blind to the order of fields. Numbers keep every digit, doubled fields
// stay, and what is no JSON is compared by its lines. Pure.

import { diffArrays } from 'diff'

/** One line of a comparison. */
export interface DiffLine {
  /** In both, only in the first, only in the second. */
  side: 'both' | 'first' | 'second'
  depth: number
  text: string
}

/** A comparison: its lines, and how many places differ. */
export interface Diff {
  lines: DiffLine[]
  differs: number
  /** False if one of them is no JSON, and lines were compared. */
  fields: boolean
}

type Tree =
  | { kind: 'object'; fields: [name: string, tree: Tree][] }
  | { kind: 'array'; items: Tree[] }
  | { kind: 'leaf'; text: string }

/** Deeper than this a body is compared by its lines. */
const DEEPEST = 120

/** Compares two texts. */
export function compared(first: string, second: string): Diff {
  const one = treeOf(first)
  const other = treeOf(second)
  if (!one || !other) {
    const lines = lineDiff(first.split('\n'), second.split('\n'))
    return { lines, differs: changes(lines), fields: false }
  }
  const writing = new Writing()
  writing.both(one, other, 0, '', true)
  return { lines: writing.lines, differs: writing.differs, fields: true }
}

/** A text as a tree; null if it is no JSON or too deep to be one that people read. */
function treeOf(text: string): Tree | null {
  try {
    JSON.parse(text)
  } catch {
    return null
  }
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []
  let at = 0
  const read = (depth: number): Tree | null => {
    const token = tokens[at++] ?? ''
    if (depth > DEEPEST) return null
    if (token === '{') {
      const fields: [string, Tree][] = []
      while (tokens[at] !== '}') {
        const name = tokens[at] ?? ''
        at += 2
        const tree = read(depth + 1)
        if (!tree) return null
        fields.push([name, tree])
        if (tokens[at] === ',') at++
      }
      at++
      return { kind: 'object', fields }
    }
    if (token === '[') {
      const items: Tree[] = []
      while (tokens[at] !== ']') {
        const tree = read(depth + 1)
        if (!tree) return null
        items.push(tree)
        if (tokens[at] === ',') at++
      }
      at++
      return { kind: 'array', items }
    }
    return { kind: 'leaf', text: token }
  }
  return read(0)
}

/** The same text for trees that say the same: fields sorted, strings without regard to how they are escaped. */
function canonical(tree: Tree): string {
  if (tree.kind === 'leaf') return tree.text.startsWith('"') ? JSON.stringify(JSON.parse(tree.text)) : tree.text
  if (tree.kind === 'array') return `[${tree.items.map(canonical).join(',')}]`
  const fields = tree.fields.map(([name, inner]) => `${nameOf(name)}:${canonical(inner)}`)
  return `{${fields.sort().join(',')}}`
}

const nameOf = (name: string): string => JSON.stringify(JSON.parse(name))

class Writing {
  readonly lines: DiffLine[] = []
  differs = 0

  /** Writes two trees of one place: once where they agree, else both. */
  both(one: Tree, other: Tree, depth: number, before: string, last: boolean): void {
    if (canonical(one) === canonical(other)) return this.whole('both', one, depth, before, last)
    if (one.kind === 'object' && other.kind === 'object') return this.objects(one.fields, other.fields, depth, before, last)
    if (one.kind === 'array' && other.kind === 'array') return this.arrays(one.items, other.items, depth, before, last)
    this.differs++
    this.whole('first', one, depth, before, last)
    this.whole('second', other, depth, before, last)
  }

  whole(side: DiffLine['side'], tree: Tree, depth: number, before: string, last: boolean): void {
    const end = last ? '' : ','
    if (tree.kind === 'leaf') return this.line(side, depth, `${before}${tree.text}${end}`)
    const [open, shut] = tree.kind === 'object' ? ['{', '}'] : ['[', ']']
    const inner: [string, Tree][] = tree.kind === 'object' ? tree.fields.map(([name, t]) => [`${name}: `, t]) : tree.items.map((t) => ['', t])
    if (inner.length === 0) return this.line(side, depth, `${before}${open}${shut}${end}`)
    this.line(side, depth, `${before}${open}`)
    inner.forEach(([name, t], i) => this.whole(side, t, depth + 1, name, i === inner.length - 1))
    this.line(side, depth, `${shut}${end}`)
  }

  objects(one: [string, Tree][], other: [string, Tree][], depth: number, before: string, last: boolean): void {
    // A doubled field meets the one of the same name and number.
    const keyed = (fields: [string, Tree][]): Map<string, [string, Tree]> => {
      const seen = new Map<string, number>()
      return new Map(
        fields.map((field) => {
          const name = nameOf(field[0])
          const n = seen.get(name) ?? 0
          seen.set(name, n + 1)
          return [`${n} ${name}`, field]
        }),
      )
    }
    const [left, right] = [keyed(one), keyed(other)]
    const keys = [...left.keys(), ...[...right.keys()].filter((key) => !left.has(key))]
    this.line('both', depth, `${before}{`)
    keys.forEach((key, i) => {
      const [mine, theirs] = [left.get(key), right.get(key)]
      const end = i === keys.length - 1
      if (mine && theirs) return this.both(mine[1], theirs[1], depth + 1, `${mine[0]}: `, end)
      this.differs++
      const [side, field] = mine ? (['first', mine] as const) : (['second', theirs] as const)
      if (field) this.whole(side, field[1], depth + 1, `${field[0]}: `, end)
    })
    this.line('both', depth, `}${last ? '' : ','}`)
  }

  arrays(one: Tree[], other: Tree[], depth: number, before: string, last: boolean): void {
    this.line('both', depth, `${before}[`)
    const steps = aligned(one.map(canonical), other.map(canonical))
    steps.forEach(([i, j], n) => {
      const end = n === steps.length - 1
      const [mine, theirs] = [i === null ? null : one[i], j === null ? null : other[j]]
      if (mine && theirs) return this.both(mine, theirs, depth + 1, '', end)
      this.differs++
      if (mine) this.whole('first', mine, depth + 1, '', end)
      if (theirs) this.whole('second', theirs, depth + 1, '', end)
    })
    this.line('both', depth, `]${last ? '' : ','}`)
  }

  line(side: DiffLine['side'], depth: number, text: string): void {
    this.lines.push({ side, depth, text })
  }
}

/** Which entries of two lists belong together: equal ones in their order, and between those the ones that stand at the
 * same place. */
function aligned(one: readonly string[], other: readonly string[]): [number | null, number | null][] {
  const steps: [number | null, number | null][] = []
  let [i, j] = [0, 0]
  const between = (toI: number, toJ: number): void => {
    while (i < toI || j < toJ) steps.push([i < toI ? i++ : null, j < toJ ? j++ : null])
  }
  let [atI, atJ] = [0, 0]
  for (const part of diffArrays([...one], [...other])) {
    if (!part.added && !part.removed) {
      between(atI, atJ)
      for (let n = 0; n < part.value.length; n++) steps.push([i++, j++])
    }
    if (!part.added) atI += part.value.length
    if (!part.removed) atJ += part.value.length
  }
  between(one.length, other.length)
  return steps
}

function lineDiff(one: readonly string[], other: readonly string[]): DiffLine[] {
  const lines: DiffLine[] = []
  for (const [i, j] of aligned(one, other)) {
    const [mine, theirs] = [i === null ? null : (one[i] ?? ''), j === null ? null : (other[j] ?? '')]
    if (mine !== null && mine === theirs) lines.push({ side: 'both', depth: 0, text: mine })
    else {
      if (mine !== null) lines.push({ side: 'first', depth: 0, text: mine })
      if (theirs !== null) lines.push({ side: 'second', depth: 0, text: theirs })
    }
  }
  return lines
}

/** Places that differ: a line of the one beside one of the other is one place. */
function changes(lines: readonly DiffLine[]): number {
  return lines.filter((line, i) => line.side === 'first' || (line.side === 'second' && lines[i - 1]?.side !== 'first')).length
}

/** Compares headers by name without regard to case; of a name that comes twice all values, in order. */
export function comparedHeaders(one: readonly (readonly [string, string])[], other: readonly (readonly [string, string])[]): Diff {
  const named = (pairs: readonly (readonly [string, string])[]): Map<string, string[]> => {
    const found = new Map<string, string[]>()
    for (const [name, value] of pairs) found.set(name.toLowerCase(), [...(found.get(name.toLowerCase()) ?? []), value])
    return found
  }
  const [left, right] = [named(one), named(other)]
  const lines: DiffLine[] = []
  let differs = 0
  for (const name of [...new Set([...left.keys(), ...right.keys()])].sort()) {
    const [mine, theirs] = [left.get(name)?.join(', '), right.get(name)?.join(', ')]
    if (mine === theirs) lines.push({ side: 'both', depth: 0, text: `${name}: ${mine ?? ''}` })
    else {
      differs++
      if (mine !== undefined) lines.push({ side: 'first', depth: 0, text: `${name}: ${mine}` })
      if (theirs !== undefined) lines.push({ side: 'second', depth: 0, text: `${name}: ${theirs}` })
    }
  }
  return { lines, differs, fields: true }
}
