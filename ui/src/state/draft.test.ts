import { expect, test } from 'vitest'

import { type Draft, draftOf, emptyDraft, lacks, mediaOf, submission } from './draft'

const now = Date.parse('2026-11-05T08:00:00Z')
const draft: Draft = {
  content: 'Doors open at 9.',
  targets: [{ platform: 'linkedin', account: 'ac_li_04' }],
  later: false,
  date: '2026-11-05',
  time: '10:00',
  zone: 'Europe/Paris',
  picked: null,
  media: '',
  form: 'f1',
}

test('a draft with words and an account can go', () => {
  expect(lacks(draft, now)).toEqual([])
  expect(submission(draft)).toEqual({
    content: 'Doors open at 9.',
    targets: draft.targets,
    media_urls: [],
    form: 'f1',
  })
})

test('a planned one goes with its local time and zone, never an offset', () => {
  const planned = { ...draft, later: true }
  expect(lacks(planned, now)).toEqual([])
  expect(submission(planned)).toMatchObject({ scheduled_for: '2026-11-05T10:00', timezone: 'Europe/Paris' })
})

test.each([
  ['that has passed', { time: '08:59' }],
  ['the clocks jump over', { date: '2027-03-28', time: '02:30' }],
  ['that comes twice', { date: '2027-10-31', time: '02:30' }],
  ['that is none', { time: '9' }],
])('a time %s keeps it back', (_, change) => {
  expect(lacks({ ...draft, later: true, ...change }, now)).toEqual(['time'])
})

test('all that is missing is named, in the order of the form', () => {
  expect(lacks({ ...draft, content: ' ', targets: [], media: '' }, now)).toEqual(['words', 'accounts'])
  expect(lacks({ ...draft, media: 'https://a.example/1.jpg\nftp://b.example/2.jpg' }, now)).toEqual(['media'])
})

test('media alone is a post', () => {
  const media = { ...draft, content: '', media: ' https://a.example/1.jpg \n\n' }
  expect(lacks(media, now)).toEqual([])
  expect(mediaOf(media)).toEqual(['https://a.example/1.jpg'])
})

test('a reading that was picked goes as it means one instant alone, and keeps nothing back', () => {
  const picked = { scheduled_for: '2027-03-28T01:30:00Z', timezone: 'UTC', text: '03:30 CEST' }
  const planned = { ...draft, later: true, date: '2027-03-28', time: '02:30', picked }
  expect(lacks(planned, now)).toEqual([])
  expect(submission(planned)).toMatchObject({ scheduled_for: '2027-03-28T01:30:00Z', timezone: 'UTC' })
})

test('a post that was sent can be started from, field by field', () => {
  const body = JSON.stringify({
    content: 'Doors open at 9.',
    platforms: [{ platform: 'linkedin', accountId: 'ac_li_04' }, { platform: 'x' }],
    mediaItems: [{ type: 'image', url: 'https://a.example/1.jpg' }],
    scheduledFor: '2026-11-05T10:00:00',
    timezone: 'Europe/London',
  })
  expect(draftOf(body, emptyDraft('UTC', 'f2'))).toEqual({
    ...draft,
    later: true,
    zone: 'Europe/London',
    media: 'https://a.example/1.jpg',
    form: 'f2',
  })
  expect(draftOf('no body', emptyDraft('UTC', 'f3'))).toEqual(emptyDraft('UTC', 'f3'))
})
