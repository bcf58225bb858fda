// Words of Why twice: the box, the verdict, the picture of a case and its list, the case file. What a verdict says comes
// from the core; here stand the words around it and those of the picture.

import { capital, platformName, statusWord } from '../phrases'
import { type Clockface, span } from '../state/times'
import type { CaseNode, CaseTie, MaskedKind, ThingKind } from '../wire/wire'

const NTH = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth']
const plural = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`

/** After the word for how sure something is. */
export const confidence = 'confidence'

/** Fixed words. */
export const why = {
  title: 'Why twice?',
  ask: 'What to ask about',
  hint: 'Paste a link, text, key, event or another post',
  hintFirst: 'Paste links, words, or ids of posts, keys, events and jobs',
  find: 'Find the cause',
  finding: 'Looking …',
  remove: (what: string) => `Take ${what} out`,
  chips: 'Asked about',
  unknown: 'not in this log',
  kinds: { post: 'post', url: 'link', text: 'words', key: 'key', event: 'message', job: 'job' } satisfies Record<ThingKind, string>,
  empty: 'Ask why something is there twice.',
  emptyWhy: 'Two links, the words of a screenshot, a key, a message or a job are enough. Or press W on anything in the log.',
  verdict: 'The verdict',
  also: (headlines: readonly string[]) => `Fits too, but says less: ${headlines.map(lower).join('; ')}.`,
  more: 'Whose side it was, and how to prevent it',
  side: 'Whose side',
  again: 'Can it happen again?',
  prevent: 'How to prevent it',
  chain: 'The chain',
  showAs: 'Show the chain as',
  picture: 'Picture',
  list: 'List',
  columns: ['Job', 'Key', 'Try', 'Post', 'Message', 'Arrivals'] as const,
  legend: { recorded: 'on record', worked_out: 'worked out', made_two: 'made it two' },
  became: (before: string, after: string) =>
    before === '' ? `“${after}” was added` : after === '' ? `“${before}” was taken out` : `“${before}” became “${after}”`,
  leftOut: (n: number) => `${plural(n, 'more row is', 'more rows are')} in the case file.`,
  pictureSays: (counts: string) => `The chain: ${counts}. The list tells it in words.`,
  overTime: 'Over time',
  overTimeSays: (from: string, to: string) => `The same rows over time, from ${from} to ${to}. Long rests are drawn shorter, with their length.`,
  listCaption: 'The chain as a list',
  listColumns: ['Time', 'What', 'Which', 'Says', 'Tied to', 'For the verdict'] as const,
  glow: { plain: '', proof: 'needed', second: 'made it two' },
  ties: {
    recorded: 'led to',
    worked_out: 'led to, as other rows tell,',
    made_two: 'made the second post,',
    already_there: 'was told of',
  } satisfies Record<CaseTie, string>,
  proof: 'Proof',
  proofTimes: (days: string, zone: string) => `${days}, times in ${zone}`,
  proofColumns: ['Time', 'Mark', 'What it says', 'Which', 'Role'] as const,
  needed: 'needed',
  supports: 'supports',
  noProof: 'There is no row about it.',
  next: 'What to do next',
  openPosts: 'Open in Posts',
  open: (what: string) => `Open ${what}`,
  askAbout: (what: string) => `Why twice? Ask about ${what}`,
  onTimeline: 'On the timeline',
  missing: 'What is missing',
  missingNone: 'Nothing this verdict needs.',
  missingSays: 'With these it could say more:',
  lately: 'Or ask about one of these posts:',
  importLog: 'Import a log …',
  importSays: 'if somebody handed you one.',
  alike: 'The same cause elsewhere',
  alikeLooking: 'Looking through the newest jobs …',
  alikeCount: (n: number) => (n === 0 ? 'No other job shares this cause.' : n === 1 ? '1 other job shares this cause.' : `${n} other jobs share this cause.`),
  alikeLooked: (n: number, whole: boolean) => (whole ? (n === 1 ? 'It is the only job of this log.' : `All ${plural(n, 'job', 'jobs')} of this log were looked at.`) : `The newest ${plural(n, 'job', 'jobs')} were looked at, older ones were not.`),
  alikeShow: 'Show them',
  alikeTogether: (n: number) => (n === 1 ? 'Look what would happen to it' : `Look what would happen to these ${n}`),
  alikeTitle: 'Jobs that share this cause',
  alikeMost: (n: number) => `The newest ${n} are listed.`,
  alikeColumns: ['Asked for', 'Job', 'Words', 'Post'] as const,
  twice: 'Posted twice',
  near: 'Nearly the same',
  nearAsk: (words: string) => `Nearly the same: another post that is live on the same account differs little from “${words}”. Ask why`,
  nthPost: (n: number) => `the ${NTH[n] ?? `${n + 1}th`} post`,
  jobOf: (time: string) => `the job of ${time}`,
  wordsUnknown: 'words not known',
  postSays: (at: string | null, platforms: readonly string[], words: string) => [at, ...platforms.map(platformName), words].filter((part) => part !== null).join(', '),
  twiceAsk: (words: string) => `Posted twice: “${words}” is live in another post on the same account. Ask why`,
  twiceInMap: (n: number) => plural(n, 'post is live twice', 'posts are live twice'),
  caseFile: 'Case file',
  caseSays: 'A page to read and a log that opens here with the same verdict.',
  rows: 'Rows',
  masked: 'Masked',
  maskedNone: 'nothing had to be',
  maskedIn: (values: number, kinds: number) => `${plural(values, 'value', 'values')} in ${plural(kinds, 'kind', 'kinds')}`,
  look: 'Look',
  lookTitle: 'What is masked in the case file',
  lookSays: 'Each placeholder stands for one secret, the same in every place of the file. The secrets themselves are not in it.',
  lookColumns: ['Where it stood', 'Places', 'Placeholders'] as const,
  save: 'Save case file',
  saving: 'Saving …',
  saved: (folder: string, names: readonly string[]) => `Saved in ${folder}: ${names.join(', ')}`,
  downloaded: (names: readonly string[]) => `Saved with your downloads: ${names.join(', ')}`,
  drop: 'Drop it here to ask why it is there twice',
} as const

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** Two lines for a node of the picture. */
export function nodeWords(node: CaseNode, face: Clockface): { title: string; sub: string; mono: 'title' | 'sub' | null } {
  const at = node.at_ms === null ? '' : short(node.at_ms, face)
  switch (node.kind) {
    case 'job':
      return { title: node.name, sub: at, mono: 'title' }
    case 'key':
      return { title: node.name, sub: node.until_ms === null ? ordinal(node.n) : keySub(node, face), mono: 'title' }
    case 'try':
      return { title: tryTitle(node), sub: trySub(node), mono: null }
    case 'post':
      return { title: node.text?.trim() || 'Words not known', sub: node.name, mono: 'sub' }
    case 'message':
      return { title: messageTitle(node), sub: at, mono: null }
    case 'arrivals':
      return { title: came(node.n), sub: node.n > 1 ? lastAfter(node) : at, mono: null }
  }
}

const ordinal = (n: number): string => (n === 1 ? 'the first key' : n === 2 ? 'another key' : 'yet another key')

function keySub(node: CaseNode, face: Clockface): string {
  return node.n > 1 ? ordinal(node.n) : `ends ${short(node.until_ms ?? 0, face).slice(0, -3)}`
}

/** `Thu 09:03:10`: short enough for a box; the days stand at the ends of the strip below. */
const short = (ms: number, face: Clockface): string => `${face.day(ms).split(' ')[0] ?? ''} ${face.time(ms)}`

const TRIES: Record<string, string> = {
  answered: 'Made a post',
  replayed: 'Given back',
  lost: 'No answer',
  wait: 'Told to wait',
  refused: 'Refused',
  not_sent: 'Never left',
}

function tryTitle(node: CaseNode): string {
  if (node.mark === 'refused' && node.code !== 409) return 'Stopped'
  return TRIES[node.mark ?? ''] ?? 'A try'
}

function trySub(node: CaseNode): string {
  const took = node.at_ms !== null && node.until_ms !== null ? span(node.until_ms - node.at_ms) : null
  if (node.mark === 'refused' && node.code === 409) return 'already there'
  if (node.mark === 'replayed') return 'it was there'
  if (node.mark === 'lost') return took === null ? 'nobody knows' : `none within ${took}`
  if (node.mark === 'not_sent') return 'could not connect'
  return took === null ? '' : `after ${took}`
}

function messageTitle(node: CaseNode): string {
  const state = node.status === null ? null : statusWord(node.status)
  if (state === null) return node.text || 'A message'
  return node.platform ? `${platformName(node.platform)}: ${state}` : capital(state)
}

const COUNTS = ['', 'once', 'twice', 'three times']
const came = (n: number): string => `Came ${COUNTS[n] ?? `${n} times`}`

function lastAfter(node: CaseNode): string {
  return node.at_ms === null || node.until_ms === null ? '' : `last ${span(node.until_ms - node.at_ms)} later`
}

const KINDS: Record<CaseNode['kind'], [string, string]> = {
  job: ['job', 'jobs'],
  key: ['key', 'keys'],
  try: ['try', 'tries'],
  post: ['post', 'posts'],
  message: ['message', 'messages'],
  arrivals: ['arrival', 'arrivals'],
}

/** What a node is, in a word. */
export const nodeKind = (node: CaseNode): string => capital(KINDS[node.kind][0])

/** What is in the picture: `3 jobs, 3 keys, 3 tries, 2 posts`. */
export function chainCounts(nodes: readonly CaseNode[]): string {
  const kinds = Object.entries(KINDS) as [CaseNode['kind'], [string, string]][]
  const counts = kinds.map(([kind, [one, many]]) => {
    const of = nodes.filter((node) => node.kind === kind)
    const n = kind === 'arrivals' ? of.reduce((sum, node) => sum + node.n, 0) : of.length
    return n === 0 ? '' : plural(n, one, many)
  })
  return counts.filter((text) => text !== '').join(', ')
}

/** `5b0e…41`: an id short enough for a box; the whole is in the list. */
export function shortId(id: string, most = 14): string {
  return id.length <= most ? id : `${id.slice(0, most - 5)}…${id.slice(-4)}`
}

const PLACES: [RegExp, (name: string) => string][] = [
  [/^header (.*)$/, (name) => `Header ${name}`],
  [/^field (.*)$/, (name) => `Field ${name} in a body`],
  [/^parameter (.*)$/, (name) => `Part ${name} of an address`],
]

/** Where masked values stood, in words. */
export function maskedPlace(kind: MaskedKind): string {
  for (const [form, says] of PLACES) {
    const name = form.exec(kind.kind)?.[1]
    if (name !== undefined) return says(name)
  }
  return capital(kind.kind)
}
