// What a person chose of a dry run, and whether it can run.

import type { BulkChoice, BulkDetail, BulkFilter, BulkGroup, BulkGroupRow, BulkKind } from '../wire/wire'

/** Groups to run, and the reason typed for those that make new posts. */
export interface Choices {
  on: ReadonlySet<BulkGroup>
  reasons: Readonly<Partial<Record<BulkGroup, string>>>
}

/** What is chosen before anybody chose: what sends nothing new. Whatever makes a new post is chosen by hand. */
export function firstChoices(bulk: BulkDetail): Choices {
  const on = bulk.groups.filter((group) => group.runs && (group.chosen || !group.needs_reason)).map((group) => group.group)
  const reasons: Partial<Record<BulkGroup, string>> = {}
  for (const group of bulk.groups) if (group.reason !== null) reasons[group.group] = group.reason
  return { on: new Set(on), reasons }
}

/** The groups that run with these choices. */
export function running(bulk: BulkDetail, choices: Choices): BulkGroupRow[] {
  return bulk.groups.filter((group) => group.runs && choices.on.has(group.group))
}

/** How many rows are still to be done with these choices. */
export function toDo(bulk: BulkDetail, choices: Choices): number {
  return running(bulk, choices).reduce((sum, group) => sum + group.jobs - group.account.over, 0)
}

/** A chosen group that makes new posts and has no reason yet. */
export function lacksReason(bulk: BulkDetail, choices: Choices): BulkGroup | null {
  const found = running(bulk, choices).find((group) => group.needs_reason && !(choices.reasons[group.group] ?? '').trim())
  return found?.group ?? null
}

/** As the core takes them. */
export function asked(bulk: BulkDetail, choices: Choices): BulkChoice[] {
  return running(bulk, choices).map(({ group, needs_reason }) =>
    needs_reason ? { group, reason: (choices.reasons[group] ?? '').trim() } : { group },
  )
}

/** What is typed into the filter. */
export interface Wanted {
  jobs: readonly string[]
  hours: string
  kinds: ReadonlySet<BulkKind>
  text: string
  imported: boolean
}

/** The longest span that can be looked back, hours. */
const MOST_HOURS = 87_660

/** The hours that are typed; null if they make no sense. */
export function hoursOf(text: string): number | null {
  const hours = /^\d{1,6}$/.test(text.trim()) ? Number(text.trim()) : NaN
  return hours >= 1 && hours <= MOST_HOURS ? hours : null
}

/** The filter as the core takes it; null if the hours make no sense. */
export function filterOf(wanted: Wanted): BulkFilter | null {
  if (wanted.jobs.length > 0) return { jobs: [...wanted.jobs] }
  const since_h = hoursOf(wanted.hours)
  if (since_h === null) return null
  const text = wanted.text.trim()
  return {
    since_h,
    ...(wanted.kinds.size > 0 ? { kinds: [...wanted.kinds] } : {}),
    ...(text ? { text } : {}),
    ...(wanted.imported ? { imported: true } : {}),
  }
}

/** True once rows were begun. */
export function begun(bulk: BulkDetail): boolean {
  return bulk.state !== 'planned' && bulk.state !== 'planning'
}

/** True if it can be run, or go on. */
export function runs(bulk: BulkDetail): boolean {
  return !bulk.at_work && bulk.state !== 'stopped' && bulk.state !== 'planning'
}
