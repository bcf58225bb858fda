import { expect, test } from 'vitest'

import { tailsOf } from './tails'

test('names that begin alike keep the end that tells them apart', () => {
  const tails = tailsOf(['Doors open at nine on Sunday.', 'Doors open at nine on Sunday!', 'Doors open at nine tonight', 'The band plays until ten.'])
  expect([...tails]).toEqual([
    ['Doors open at nine on Sunday!', 'Sunday!'],
    ['Doors open at nine on Sunday.', 'Sunday.'],
    ['Doors open at nine tonight', 'tonight'],
  ])
})

test('a long end keeps its last characters, and equal names have none', () => {
  expect(tailsOf(['Bring a cup for the cider and the plum pudding', 'Bring a cup for the tea']).get('Bring a cup for the cider and the plum pudding')).toBe('e plum pudding')
  expect(tailsOf(['Doors open at nine', 'Doors open at nine']).size).toBe(0)
})
