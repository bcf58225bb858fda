// How a verdict looks: its mark and its tone, beside its words and never instead of them.

import type { Verdict } from '../wire/wire'

/** A mark with its tone. */
export interface Tone {
  tone: 'good' | 'wait' | 'stop'
  icon: string
}

/** Verdicts that say there is one post only. */
const ONE: readonly Verdict[] = ['copies_of_one_event', 'rollup_and_target', 'allowed_repeat']
/** Verdicts that say what is missing. */
const OPEN: readonly Verdict[] = ['not_sent_from_here', 'not_enough_evidence']

/** The mark of a verdict. */
export function toneOf(verdict: Verdict): Tone {
  if (ONE.includes(verdict)) return { tone: 'good', icon: 'live' }
  if (OPEN.includes(verdict)) return { tone: 'wait', icon: 'unknown' }
  return { tone: 'stop', icon: verdict === 'key_reused' ? 'stop' : 'same' }
}
