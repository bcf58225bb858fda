// Words of the list of keys.

import type { KeyGroup, KeyId } from '../state/keymap'

/** What each key does. */
export const KEY_WORDS: Record<KeyId, string> = {
  'go.screen': 'Screens',
  'go.settings': 'Settings',
  'go.palette': 'Search, and everything that can be done here',
  'go.region': 'Next region, the one before',
  zone: 'Next zone for all times',
  why: 'Ask why the selection is there twice',
  keys: 'These keys',
  frames: 'Time the frames',
  leave: 'Close or leave',
  'timeline.beside': 'Marks of a lane by time',
  'timeline.across': 'Lanes',
  'timeline.other': 'The other end of a link',
  'timeline.nearer': 'Closer',
  'timeline.farther': 'Farther',
  'timeline.fit': 'Everything',
  'timeline.follow': 'Follow the present',
  'timeline.time': 'Go to a time',
  'timeline.list': 'Picture or list',
  'timeline.enter': 'To the detail',
  'list.step': 'One row up or down',
  'list.second': 'Choose a second one beside it',
  'list.page': 'A page up or down',
  'list.ends': 'First or last row',
  'list.open': 'Open or close its arrivals',
  'list.enter': 'To the detail',
  'events.time': 'Go to a time, at the Events',
  'events.compare': 'Compare with another arrival',
  'posts.compose': 'Compose',
  'posts.ask': 'To Ask again and its forecast',
  'posts.again': 'To Post again and its forecast',
  'posts.send': 'Send the post',
  'why.next': 'In the box: one more thing',
  'why.back': 'In the empty box: take the last one out',
  'why.save': 'Save the case file',
  'test.fire': 'Fire the test',
}

/** Headings of the list of keys. */
export const KEY_GROUPS: Record<KeyGroup, string> = {
  everywhere: 'Everywhere',
  timeline: 'Timeline',
  lists: 'Lists',
  posts: 'Posts',
  why: 'Why twice?',
  test: 'Test',
}

/** The title of the list. */
export const KEYS_TITLE = 'Keys'
