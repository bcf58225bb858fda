// Words of the filter, the comparison, the chain, the commands and the settings of receiving and keeping.

import { left, span } from '../state/times'
import { causeHeadline, platformName } from '../phrases'

const plural = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`

/** The filter of the Events screen. */
export const filterWords = {
  more: 'Filter',
  moreSays: (n: number) => (n === 0 ? 'Filter' : `Filter, ${n} in use`),
  panel: 'Filter the messages',
  text: 'Search these messages',
  textHint: 'Text or id',
  any: 'Any',
  name: 'Kind',
  platform: 'Platform',
  account: 'Account',
  cause: 'Why it came again',
  late: 'Late by at least',
  arrived: 'Last arrived',
  anyTime: 'Any time',
  from: 'From day',
  to: 'To day',
  dayHint: 'YYYY-MM-DD',
  dayUnclear: 'Write a day such as 2026-11-05.',
  spans: { hour: 'In the last hour', day: 'In the last 24 hours', week: 'In the last 7 days', month: 'In the last 30 days' },
  lateness: { '1m': '1 min', '10m': '10 min', '1h': '1 h', '6h': '6 h' },
  clear: 'Clear all',
  clearFilter: 'Clear the filter',
  remove: (what: string) => `Remove ${what}`,
  looking: 'Looking through the log',
  found: (n: number) => `${n} found`,
  reached: (when: string, part: number | null) => `looked back to ${when}${part === null ? '' : `, ${Math.floor(part * 100)} %`}`,
  whole: 'looked through all of it',
  stop: 'Stop looking',
  further: 'Look further back',
  nothing: 'Nothing fits so far.',
  nothingAtAll: 'Nothing in the log fits.',
  nothingWhy: 'Take away a part of the filter, or clear it.',
} as const

/** One chosen term of the filter as a sentence of two words. */
export function termWords(term: string, value: string): string {
  switch (term) {
    case 'name':
      return `${filterWords.name}: ${value}`
    case 'platform':
      return `${filterWords.platform}: ${platformName(value)}`
    case 'account':
      return `${filterWords.account}: ${value}`
    case 'about':
      return `About: ${value.replace(/^(post|account):/, '')}`
    case 'cause':
      return causeHeadline(value)
    case 'late':
      return `Late ${filterWords.lateness[value as keyof typeof filterWords.lateness] ?? value} or more`
    case 'span':
      return filterWords.spans[value as keyof typeof filterWords.spans] ?? value
    case 'from':
      return `From ${value}`
    case 'to':
      return `To ${value}`
    default:
      return value
  }
}

/** The comparison of two arrivals. */
export const compareWords = {
  view: 'Compare',
  act: 'Compare with another arrival',
  with: 'Compare with',
  arrival: (n: number) => `Arrival ${n}`,
  other: 'The other message',
  differs: (n: number) => (n === 0 ? 'No field differs.' : `${plural(n, 'field differs', 'fields differ')}.`),
  lines: (n: number) => (n === 0 ? 'No line differs.' : `${plural(n, 'line differs', 'lines differ')}.`),
  order: 'The order of fields is ignored.',
  headers: (n: number) => (n === 0 ? 'No header differs.' : `${plural(n, 'header differs', 'headers differ')}.`),
  body: 'Compared payload',
  headersLabel: 'Compared headers',
  first: (when: string) => `only in the one from ${when}`,
  second: (when: string) => `only in the one from ${when}`,
  onlyFirst: 'only in the first:',
  onlySecond: 'only in the second:',
  none: 'There is nothing to compare it with yet. Choose two with Shift and an arrow, then press D.',
  missing: 'One of the two bodies is not in the log, so only the headers are compared.',
  paired: (n: number) => `${n} chosen, D compares them`,
} as const

/** What belongs together. */
export const chainWords = {
  title: 'Belongs to',
  key: 'Key',
  job: 'Job',
  try: 'Try',
  post: 'Post',
  message: 'Message',
  arrival: 'Arrival',
  here: 'this one',
  onTimeline: (what: string) => `${what} on the Timeline`,
  all: (n: number) => `Show all ${n}`,
  more: 'There is more than is shown here; the Events screen can be filtered by the post.',
  alone: 'Nothing else in the log belongs to it.',
  keyLeft: (ms: number) => `${left(ms)} left`,
  keyGone: 'gone',
  keyUnused: 'not used yet',
  jobs: (n: number) => plural(n, 'job', 'jobs'),
  tryN: (n: number) => `Try ${n}`,
  arrivalN: (n: number) => `Arrival ${n}`,
  after: (ms: number) => `${span(ms)} later`,
} as const

/** One post of which the log knows. */
export const postWords = {
  label: 'Selected post',
  kick: 'Post at Pozy',
  whole: 'As a whole',
  since: (when: string) => `since ${when}`,
  confirmed: (when: string) => `confirmed by Pozy at ${when}`,
  unconfirmed: 'as messages told it',
  fetched: 'as it was fetched',
  told: 'The message that told it',
  tie: 'same instant, cannot tell',
  wantsFetch: 'Only a fetch from Pozy can say what holds.',
  nothing: 'No message about it has arrived.',
  says: (n: number) => (n === 0 ? 'Nothing was heard of its accounts yet.' : `What was heard of ${plural(n, 'part', 'parts')} of it.`),
  list: 'Its messages are in the list.',
} as const

/** A request as a command. */
export const curlWords = {
  copy: 'Copy as curl',
  copied: 'Copied',
  risky: 'May make a second live post',
  failed: 'Could not copy; mark the text below instead.',
  label: 'Command',
  variables: (names: readonly string[]) => `Left out: ${names.join(', ')}.`,
} as const

/** One try in full. */
export const tryDetailWords = {
  more: 'Request and answer',
  call: 'Call',
  key: 'Key',
  request: 'Request id',
  workspace: 'Workspace',
  sent: 'What was sent',
  came: 'What came back',
  headers: 'Headers of the answer',
  none: 'none',
} as const

/** Settings of receiving, keeping and times. */
export const settingsWords = {
  signature: {
    title: 'Signatures',
    says: 'How Pozy signs its messages. What ships fits Pozy; change it only if its messages do not check out.',
    header: 'Header with the signature',
    encoding: 'Written as',
    encodings: { hex: 'Hexadecimal', base64: 'Base64' },
    prefix: 'Text in front',
    prefixHint: 'sha256=',
    idHeader: 'Header with the message id',
    save: 'Use these settings',
    shipped: 'Back to what ships',
    saved: 'Kept. Messages that come from now on are checked this way.',
    later: 'Kept. It holds as soon as you leave the sandbox.',
    noWorkspace: 'Set up a workspace first: these settings belong to one.',
    check: 'Checked against the last message',
    suggest: (header: string, encoding: string, prefix: string) =>
      `It would check out with header ${header}, ${encoding}${prefix === '' ? ', nothing in front' : `, “${prefix}” in front`}.`,
    use: 'Fill these in',
    seen: (names: readonly string[]) => `It has: ${names.join(', ')}.`,
  },
  receiving: {
    help: 'How Pozy reaches this computer',
    helpSteps: [
      'This address works on this computer only. Pozy is outside, so something has to carry its messages in.',
      'A tunnel is a small program that gives you a public https address and passes all that comes there on to the port above. Start it for that port.',
      'A relay does the same from a server of yours: any web server that passes a path on to this port over a private line.',
      'Give Pozy the public address with the same path at its end. Headers and the body must come through unchanged, or the signature does not check out.',
      'Then fire a test. If it arrives with a valid signature, everything is right.',
    ],
    examples: [
      ['A tunnel, for example', (port: number) => `cloudflared tunnel --url http://127.0.0.1:${port}`],
      ['A relay, for example', (port: number) => `ssh -R ${port}:127.0.0.1:${port} you@your.server`],
    ] as const,
    copyCommand: 'Copy the command',
    give: 'Give Pozy',
    giveSays: (path: string) => `https://your public address${path}`,
    toTest: 'Go to Test',
  },
  keeping: {
    title: 'What is kept',
    says: 'Ids, times, states and keys stay for good. Only bodies age out, and only those of messages that came here.',
    days: 'Bodies leave after',
    daysOptions: { none: 'Never by themselves', '7': '7 days', '30': '30 days', '90': '90 days', '365': 'A year' },
    size: 'Oldest bodies leave while the log is over',
    sizeOptions: { none: 'No limit', '100': '100 MB', '500': '500 MB', '2000': '2 GB', '10000': '10 GB' },
    other: (value: string, unit: string) => `${value} ${unit}`,
    save: 'Keep it this way',
    saved: 'Kept. What was due has left.',
    log: 'The log',
    logSays: (size: string, empty: string | null, arrivals: number) =>
      `${size}${empty === null ? '' : `, ${empty} of it empty and used again`}; ${plural(arrivals, 'arrival', 'arrivals')}`,
    freeable: 'Can be freed',
    freeableSays: (size: string, more: boolean, days: number) =>
      `${more ? 'At least ' : ''}${size}, the bodies of messages older than ${plural(days, 'day', 'days')} that no open post needs`,
    others: 'Everything else there',
    copyFolder: 'Copy the folder',
  },
  zone: {
    account: 'Account',
    accountKnown: (zone: string) => `Account, ${zone}`,
    says: 'Account: the zone that your newest planned post names. A post that names another one shows its own.',
    unknownOf: (name: string) => `of this account not known; shown in ${name}`,
    unknown: 'No post names a zone yet, so local times are shown.',
  },
} as const

/** Checking again what was set aside for its signature. */
export const againWords = {
  check: (n: number, most: number) =>
    n === 1 ? 'Check the set-aside message again' : `Check the ${n >= most ? `${most.toLocaleString('en')} or more` : n} set-aside messages again`,
  busy: 'Checking …',
  where: 'Once the secret is mended, Settings checks it again.',
  came: (valid: number, looked: number) => {
    if (looked === 0) return 'Nothing was left to check.'
    if (valid === 0) return looked === 1 ? 'Its signature is still wrong.' : `All ${looked} signatures are still wrong.`
    if (valid === looked) return looked === 1 ? 'It checks out now and took its place.' : `All ${looked} check out now and took their places.`
    return `${valid} of ${looked} ${valid === 1 ? 'checks out now and took its place' : 'check out now and took their places'}.`
  },
} as const

/** What trying the signature settings on the last message gave, with its time. */
export function signatureSays(found: string, when: string, header: string): string {
  switch (found) {
    case 'fits':
      return `The last message from ${when} checks out.`
    case 'no_message':
      return 'No message has come here yet, so there is nothing to check against. Fire a test.'
    case 'no_secret':
      return `The last message from ${when} cannot be checked: no webhook secret is kept for this workspace.`
    case 'no_header':
      return `The last message from ${when} does not check out, because it has no header ${header}.`
    case 'not_written':
      return `The last message from ${when} does not check out, because what ${header} holds is not written this way.`
    case 'no_body':
      return `The last message from ${when} cannot be checked any more: its body has aged out.`
    default:
      return `The last message from ${when} does not check out: the settings fit, but the signature belongs to another secret or other bytes.`
  }
}

/** What the id header of the last message says. */
export function idHeaderSays(found: string | null, header: string): string {
  if (found === 'same') return `${header} repeats the id of its body.`
  if (found === 'differs') return `${header} holds another id than the body; the body counts.`
  return `It has no header ${header}; that does no harm, the id in the body counts.`
}
