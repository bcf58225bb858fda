// The words of finding out what became of a post: the fetch, and what a person saw on the account.

/** Fixed words. */
export const looking = {
  title: 'Nobody knows yet',
  says: 'Three ways to find out. Each leaves a line in the history.',
  ask: 'Ask again above: the same key finds the first post, or makes it now.',
  askGone: 'Asking again is no way here: its key is gone, or it may not be sent from here.',
  fetchSays: 'Pozy is only read; nothing is sent.',
  candidates: 'Posts with these words',
  same: 'the same words',
  differs: (n: number) => (n === 1 ? 'one character differs' : `${n} characters differ`),
  isIt: 'It is this one',
  seenThere: 'Seen on the account?',
  looked: 'I looked at the account',
  lookedSays: 'What did you see there?',
  saw: { live: 'It is live', none: 'It is not there', twice: 'It is there twice', unsure: 'I am not sure', unseen: 'I do not see it there' },
  which: 'Which post, if you can tell',
  whichHint: 'Its id at Pozy',
  more: 'More to say',
  save: 'Write it down',
  cancel: 'Leave it',
} as const

/** What a person may have seen. */
export type Saw = keyof typeof looking.saw

/** How it is written down: the action of the note, and whether a post is there. */
export function noteOf(saw: Saw): { action: string; there?: boolean } {
  switch (saw) {
    case 'live':
      return { action: 'settled', there: true }
    case 'none':
      return { action: 'settled', there: false }
    case 'twice':
      return { action: 'seen_twice' }
    case 'unseen':
      return { action: 'not_seen' }
    case 'unsure':
      return { action: 'comment' }
  }
}
