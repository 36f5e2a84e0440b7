import { expect, it } from 'vitest'
import { EndedTokens, tokenKey } from '../../../http/identity/ended-tokens.js'

it('16,384 tokens that count no longer are remembered, the newest, by their hashes', () => {
  const ended = new EndedTokens()
  for (let token = 0; token <= 16_384; token += 1) ended.end(`token ${token}`, `why ${token}`)
  const [first, second, last] = [0, 1, 16_384].map(token => ended.why(tokenKey(`token ${token}`)))
  expect([first, second, last]).toEqual([undefined, 'why 1', 'why 16384'])
  expect(ended.why('token 1')).toBeUndefined()
})
