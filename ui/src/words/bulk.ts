// Words of many posts at once.

import type {
  BulkActual,
  BulkDetail,
  BulkForecast,
  BulkGroup,
  BulkKind,
  BulkRow,
  BulkRowState,
  BulkState,
} from '../wire/wire'

const posts = (n: number): string => (n === 1 ? '1 post' : `${n} posts`)

/** All fixed words of many posts at once. */
export const bulkWords = {
  open: 'Select many',
  title: 'Many posts',
  back: 'Back to the posts',
  which: 'Which posts',
  whichSays: 'Every post in the log that fits, not only those in sight.',
  these: (n: number) => `These ${posts(n)}, chosen elsewhere`,
  notWell: 'Did not finish well in the last',
  hours: 'hours',
  hoursWrong: 'Write hours from 1 to 87660.',
  reasons: 'Why they did not',
  anyReason: 'All of them, unless some are chosen.',
  text: 'Words in the post',
  imported: 'Also from imported logs',
  importedSays: 'They are sent only through a connection that was tied to their workspace.',
  plan: 'Look what would happen',
  planning: 'Looking …',
  planSays: 'A dry run. Nothing is sent.',
  none: 'No post fits.',
  noneSays: 'Nothing in the log needs asking or posting again by what you chose.',
  earlier: 'Earlier',
  noEarlier: 'None yet.',
  resumeSays: 'Open one to go on, or to read what came of it.',
  anew: 'Choose others',
  dryRun: (time: string) => `Worked out at ${time}. Nothing is sent before you press Run.`,
  workedOut: (time: string) => `Worked out at ${time}.`,
  groups: 'What would happen',
  run: (n: number) => `Run ${posts(n)}`,
  runNone: 'Run',
  resume: 'Go on',
  fetch: 'Ask Pozy how they stand',
  fetching: 'Asking Pozy …',
  choose: (what: string) => `Run: ${what}`,
  reason: 'Why new posts are wanted',
  reasonHint: 'Stays with each new post',
  reasonNeeded: 'Write why; then it can run.',
  chooseOne: 'Choose at least one group.',
  atOnce: 'At a time',
  count: (n: number) => posts(n),
  pause: 'Hold',
  stop: 'End for good',
  stopSure: 'End it, leave the rest',
  keep: 'Keep it',
  stopSays: 'What is on its way comes to its end. The rest is left as it is.',
  progress: 'How far it is',
  over: (n: number, of: number) => `${n} of ${of} done`,
  left: (span: string) => `about ${span} left`,
  noLeft: 'time left is not known yet',
  held: (time: string) => `Pozy asked us to slow down. Everything waits until ${time}.`,
  interrupted: 'The program stopped in the middle. What is done stays done, and nothing is done twice.',
  came: { same: 'Came as foretold', other: 'Came otherwise', open: 'Open or unsent' },
  made: 'Posts made',
  second: 'Second live posts',
  report: { title: 'Foretold against what came', columns: { told: 'Foretold', jobs: 'Posts' } },
  leftAlone: (n: number) => `${posts(n)} left alone`,
  rows: 'Posts',
  columns: { post: 'Post', told: 'Foretold', came: 'Came' },
  expects: (codes: readonly number[]) => `expects ${codes.join(' or ')}`,
  more: 'Show more',
  noText: 'No words kept',
  openPost: 'Open this post',
  again: (time: string) => `asked again ${time}`,
}

/** Headline and sentence of each group. */
export const groupWords: Record<BulkGroup, { title: string; says: string }> = {
  ask_again: { title: 'Ask again, safe', says: 'One post either way: Pozy finds the first one, or makes it now.' },
  fetch_first: {
    title: 'Look at Pozy first',
    says: 'They are called failed by what we know. Some may be live all the same.',
  },
  already_live: { title: 'Already live, link it', says: 'Called failed, and Pozy has them. Linking sends nothing.' },
  post_again: { title: 'Post again', says: 'They failed and nothing of them is live. Each becomes a new post with a new key.' },
  failed_targets: {
    title: 'Failed accounts only, new key',
    says: 'What is live stays as it is. Only the accounts that failed get a new post.',
  },
  elsewhere: { title: 'Same words are there, skip', says: 'Another post with these words is planned, on its way or live.' },
  wait: { title: 'Wait', says: 'Pozy still works on the first try.' },
  look_first: { title: 'Blocked until looked at', says: 'What would come of it cannot be told. Open each one and look.' },
  fix_first: { title: 'Fix first', says: 'Pozy said no to these very words. Unchanged, it says no again.' },
  fine: { title: 'Nothing to do', says: 'They are there, were stopped, or were posted again already.' },
  left_out: { title: 'Left out', says: 'They are not sent from here; each one says why.' },
}

/** Mark and tone of each group; the word stands beside it. */
export const groupMarks: Record<BulkGroup, { icon: string; tone: 'good' | 'wait' | 'stop' | 'plain' }> = {
  ask_again: { icon: 'safe', tone: 'good' },
  fetch_first: { icon: 'unknown', tone: 'wait' },
  already_live: { icon: 'live', tone: 'good' },
  post_again: { icon: 'plus', tone: 'wait' },
  failed_targets: { icon: 'part', tone: 'wait' },
  elsewhere: { icon: 'same', tone: 'plain' },
  wait: { icon: 'waiting', tone: 'wait' },
  look_first: { icon: 'stop', tone: 'stop' },
  fix_first: { icon: 'stop', tone: 'stop' },
  fine: { icon: 'live', tone: 'plain' },
  left_out: { icon: 'cancelled', tone: 'plain' },
}

/** Why a post did not finish well, as a filter. */
export const kindWords: Record<BulkKind, string> = {
  unknown: 'Unknown',
  waiting: 'Waiting',
  never_sent: 'Never sent',
  refused: 'Already there',
  stopped: 'Stopped, fix it',
  failed: 'Failed',
  partly_live: 'Partly live',
}

/** How a bulk stands, in a word. */
export function bulkState(bulk: Pick<BulkDetail, 'state' | 'at_work'>): string {
  if (bulk.state === 'running' && !bulk.at_work) return 'Interrupted'
  return STATES[bulk.state]
}

const STATES: Record<BulkState, string> = {
  planning: 'Being worked out',
  planned: 'Worked out, nothing sent',
  running: 'Running',
  paused: 'Held',
  differs: 'Stopped at a surprise',
  stopped: 'Ended',
  done: 'Done',
}

const ROW_STATES: Record<BulkRowState, string> = {
  waits: 'not begun',
  begun: 'under way',
  open: 'waits to be asked again',
  done: 'as foretold',
  differs: 'not as foretold',
  changed: 'nothing sent',
  unsettled: 'still open',
}

/** What came of a row, in a few words; `runs` is false where its group is never run. */
export function cameWords(row: Pick<BulkRow, 'state'>, runs: boolean): string {
  return runs ? ROW_STATES[row.state] : 'left alone'
}

/** The sentence behind it; empty while nothing came. */
export function cameSays(actual: BulkActual | null): string {
  if (!actual) return ''
  const second = actual.second.length > 0 ? ` It stands beside ${actual.second.join(', ')} with the same words.` : ''
  return actual.says + second
}

/** What is foretold of a row, in a few words. */
export function toldWords(told: BulkForecast | null): string {
  if (!told) return 'nothing can be foretold'
  switch (told.effect) {
    case 'returns_existing':
      return 'the first post comes back'
    case 'creates_first':
      return 'the post is made now'
    case 'creates_second':
      return 'would make a second live post'
    case 'creates_again':
      return 'a new post, not a second'
    case 'refused_same_content':
      return 'already there'
    case 'refused_key_reuse':
      return 'its key belongs to another call'
    case 'in_progress':
      return 'still being worked on'
    case 'cannot_tell':
      return told.risk === 'safe' && told.expects.every((code) => code < 300) ? 'one post either way' : 'cannot tell'
  }
}
