// What is selected elsewhere, as Why twice? can be asked about it.

import type { Entry } from '../timeline/chosen'
import type { EventRow, JobRow, Thing, TimelineLane } from '../wire/wire'

const thing = (kind: Thing['kind'], value: string): Thing => ({ kind, value, known: true })

/** A message by its id; one that was set aside has none that is believed. */
export function thingOfEvent(row: EventRow): Thing | null {
  return row.event === null ? null : thing('event', row.event)
}

/** A job. */
export const thingOfJob = (row: JobRow): Thing => thing('job', row.job)

/** A lane: its job, or the post it belongs to. */
export function thingOfLane(lane: TimelineLane): Thing | null {
  if (lane.job) return thingOfJob(lane.job)
  return lane.group.startsWith('post:') ? thing('post', lane.group.slice('post:'.length)) : null
}

/** A mark: its message, its job, else the post of its lane. */
export function thingOfEntry(entry: Entry): Thing | null {
  if (entry.mark && 'event' in entry.mark) return thing('event', entry.mark.event)
  return thingOfLane(entry.lane)
}
