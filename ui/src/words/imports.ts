// Words of imports and cases.

import { span } from '../state/times'
import { bytes } from './sizes'
import type { ColumnField, FileKind, ImportState } from '../wire/wire'

const plural = (n: number, one: string, many: string): string => `${n.toLocaleString('en')} ${n === 1 ? one : many}`

/** Fixed words of imports and cases. */
export const imports = {
  title: 'Logs from elsewhere',
  open: 'Import a log …',
  choose: 'Choose files',
  drop: 'Drop files here, or choose them.',
  kinds: 'Log lines, HAR, tables, pages of the delivery log, curl commands, dumped requests, n8n executions. Reprise finds out which by looking.',
  path: 'Or a path on this computer',
  pathHint: '/home/me/night-queue.jsonl',
  add: 'Add',
  remove: (name: string) => `Leave out ${name}`,
  into: 'Where it goes',
  asCase: 'A case of its own',
  asCaseSays: 'Nothing of it mixes with your log. A case never sends.',
  merge: 'Into the open log',
  mergeSays: 'Its lines join yours. They cannot be taken out again.',
  caseName: 'Name of the case',
  columns: 'What the columns hold',
  columnsSay: 'Taken from the names of the columns. Change what is wrong; it is kept for the next table like this.',
  remembered: 'As you said the last time. It is kept for the next table like this.',
  nothing: 'not used',
  column: 'Column',
  holds: 'Holds',
  example: 'First rows',
  zone: 'Zone of times that bear none',
  start: 'Import',
  starting: 'Taking the files …',
  stop: 'Stop',
  running: 'Importing',
  done: 'Imported',
  again: 'Import another',
  show: 'Show it',
  bad: (n: number) => `${plural(n, 'line', 'lines')} could not be read`,
  badSays: (added: number) => `${lines(added)} went in.`,
  badMore: (n: number) => `and ${plural(n, 'more line', 'more lines')}`,
  line: 'Line',
  why: 'Why',
  counts: (read: number, added: number, known: number) =>
    `${lines(read)} read: ${added.toLocaleString('en')} new, ${known.toLocaleString('en')} here already`,
  progress: (done: number, of: number) => `${bytes(done)} of ${bytes(of)}`,
  left: (ms: number) => `${span(ms)} left`,
  untimed: (n: number) => `${plural(n, 'request bears', 'requests bear')} no time of their own. Such requests stand at the time of the import.`,
  findings: 'What that client does',
  noFindings: 'Nothing that makes posts twice was found in the tries of this file.',
  change: 'What to change.',
  times: (n: number) => plural(n, 'time', 'times'),
  tries: 'The tries it rests on',
  try: (job: string, n: number) => `${job}, try ${n}`,
  before: 'Imported before',
  noneBefore: 'Nothing was imported into this log.',
  cases: 'Cases',
  noCases: 'No case yet. An import can open one.',
  made: (when: string) => `made ${when}`,
  openCase: 'Open',
  isOpen: 'open now',
  deleteCase: 'Delete',
  deleteAsk: (name: string) => `Delete ${name} with all in it? It cannot be brought back.`,
  deleteYes: 'Delete the case',
  deleteNo: 'Keep it',
  banner: 'Case',
  bannerSays: 'A log of its own. Nothing is sent from here; your own log goes on receiving.',
  leave: 'Back to my log',
  only: 'The window cannot take a file this way. Drop it on the window, or type its path.',
} as const

function lines(n: number): string {
  return plural(n, 'line', 'lines')
}

/** What a file is. */
export const kindWords: Record<FileKind, string> = {
  log_lines: 'Log lines',
  har: 'HAR',
  table: 'Table',
  delivery_log: 'Delivery log',
  curl: 'curl commands',
  requests: 'Requests',
  n8n: 'n8n executions',
}

/** How far an import is. */
export const importStateWords: Record<ImportState, string> = {
  waiting: 'Waits',
  running: 'Importing',
  done: 'Done',
  stopped: 'Stopped. What is in stays in.',
  failed: 'Not read to its end. What is in stays in.',
}

/** What a column holds. */
export const fieldWords: Record<ColumnField, string> = {
  at: 'when it left or came',
  ended_at: 'when the answer was there',
  took_ms: 'how long it took, ms',
  job: 'name of the job',
  n: 'number of the try',
  method: 'HTTP method',
  url: 'address or path',
  key: 'key',
  request_id: 'request id',
  workspace: 'workspace',
  body: 'whole body',
  text: 'words of the post',
  account: 'account',
  platform: 'platform',
  status: 'status of the answer',
  answer_body: 'body of the answer',
  retry_after: 'how long to wait',
  outcome: 'how it ended, in words',
  post: 'id of the post',
  event: 'id of a message',
  name: 'kind of message',
  happened_at: 'when it happened',
}
