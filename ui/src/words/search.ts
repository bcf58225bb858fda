// Words of search, and of filters with a name.

import { words } from '../words'

/** What is found by words and ids. */
export const searchWords = {
  posts: 'Posts',
  messages: 'Messages',
  jobs: 'Asked for from here',
  log: 'In the log',
  all: (text: string) => `Show all in Events: ${text}`,
  allSays: 'Also looks through everything else that came along',
  noWords: 'Without words',
  aside: 'Set aside',
  account: (id: string) => `Messages of account ${id}`,
  name: (name: string) => `Messages named ${name}`,
} as const

/** Filters with a name. */
export const savedWords = {
  label: 'Saved filters',
  save: 'Save this filter',
  name: 'Name of this filter',
  nameHint: 'Such as: late on LinkedIn',
  keep: 'Save',
  cancel: 'Cancel',
  edit: 'Change saved filters',
  done: 'Done',
  rename: 'Rename',
  remove: 'Delete',
  renameSays: (name: string) => `Rename ${name}`,
  removeSays: (name: string) => `Delete ${name}`,
  nameOf: (name: string) => `New name of ${name}`,
  saved: (name: string) => `Saved as ${name}`,
  gone: (name: string) => `${name} is deleted`,
  use: (name: string) => `Show: ${name}`,
  screen: words.screens.events,
} as const
