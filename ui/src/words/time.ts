// Words of going to a time.

/** All words of the dialog. */
export const timeWords = {
  open: 'Go to a time',
  day: 'Day',
  time: 'Time, such as 09:30',
  go: 'Go there',
  unclear: 'Give a day and a time.',
  once: (when: string) => `That is ${when}.`,
  never: (zone: string, before: string, after: string) => `This time does not exist in ${zone}: clocks go from ${before} to ${after}.`,
  twice: (zone: string) => `This time comes twice in ${zone}. Which one?`,
}
