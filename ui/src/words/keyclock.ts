// The words of a key's clock.

/** Fixed words. */
export const keyClock = {
  about: 'What that means',
  since: (time: string) => `In use since ${time}.`,
  sure: (time: string) => `Pozy surely remembers it until ${time}.`,
  skew: (ms: number, amount: string, measured: string) =>
    ms === 0
      ? `Our clock agrees with Pozy’s, measured ${measured}.`
      : `Our clock is ${amount} ${ms > 0 ? 'behind' : 'ahead of'} Pozy’s, measured ${measured}. That only makes a key older, never younger.`,
  noSkew: (measured: string) => `Our clock agrees with Pozy’s to the second, measured ${measured}.`,
} as const
