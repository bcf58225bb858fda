// How two texts differ, one character as people see it at a time.

import { diffArrays } from 'diff'

/** A stretch of a text: in both, only in the old one, or only in the new one. */
export interface Piece {
  kind: 'same' | 'gone' | 'new'
  text: string
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const characters = (text: string): string[] => [...graphemes.segment(text)].map((one) => one.segment)

/** The stretches that turn `old` into `fresh`, in reading order. */
export function pieces(old: string, fresh: string): Piece[] {
  return diffArrays(characters(old), characters(fresh)).map((part) => ({
    kind: part.added ? 'new' : part.removed ? 'gone' : 'same',
    text: part.value.join(''),
  }))
}

/** By how many characters two texts differ: what is replaced counts once. */
export function apart(old: string, fresh: string): number {
  let count = 0
  let gone = 0
  for (const part of diffArrays(characters(old), characters(fresh))) {
    if (part.removed) gone += part.value.length
    else if (part.added) {
      count += Math.max(gone, part.value.length)
      gone = 0
    } else {
      count += gone
      gone = 0
    }
  }
  return count + gone
}
