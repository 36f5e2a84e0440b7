import { describe, expect, it } from 'vitest'
import { ImpersonatorTokens } from '../../../../actors/instance/impersonation/impersonator-tokens.js'

/** Tokens that count a minute, from a server that a test lets fail. */
function tokens() {
  const state = { now: 0, asked: 0, fails: undefined as Error | undefined, answers: [] as unknown[] }
  const source = new ImpersonatorTokens(
    async () => {
      state.asked++
      if (state.fails) throw state.fails
      return { token: `token-${state.asked}`, lifetimeMs: 60_000 }
    },
    () => state.now,
    error => state.answers.push(error),
  )
  return { source, state }
}
const settled = () => new Promise(resolve => setImmediate(resolve))

describe('the tokens of the impersonator', () => {
  it('are not asked for before a request needs one', () => {
    expect(tokens().state.asked).toBe(0)
  })

  it('are asked for once by requests that come together', async () => {
    const { source, state } = tokens()
    expect(await Promise.all([source.token(), source.token()])).toEqual(['token-1', 'token-1'])
    expect(state.asked).toBe(1)
  })

  it('are known at once until four fifths of their life are over', async () => {
    const { source, state } = tokens()
    await source.token()
    state.now = 47_999
    expect(source.token()).toBe('token-1')
    expect(state.asked).toBe(1)
  })

  it('are replaced before they end, and nobody waits for that', async () => {
    const { source, state } = tokens()
    await source.token()
    state.now = 48_000
    expect(source.token()).toBe('token-1')
    await settled()
    expect(source.token()).toBe('token-2')
    expect(state.asked).toBe(2)
  })

  it('count to their end where they cannot be replaced, and not beyond', async () => {
    const { source, state } = tokens()
    await source.token()
    state.fails = new Error('away')
    state.now = 59_999
    expect(source.token()).toBe('token-1')
    await settled()
    state.now = 62_000
    await expect(source.token()).rejects.toThrow('away')
    // The first was a token.
    expect(state.answers).toEqual([undefined, state.fails, state.fails])
  })

  it('do not count any more when their life is over', async () => {
    const { source, state } = tokens()
    await source.token()
    state.now = 60_000
    expect(await source.token()).toBe('token-2')
  })

  it('that failed are not asked for again within two seconds, and then are', async () => {
    const { source, state } = tokens()
    state.fails = new Error('away')
    await expect(source.token()).rejects.toThrow('away')
    state.now = 1_999
    await expect(source.token()).rejects.toThrow('away')
    expect(state.asked).toBe(1)
    state.fails = undefined
    state.now = 2_000
    expect(await source.token()).toBe('token-2')
  })

  it('that are refused are replaced, but not each time that a program behind says 401', async () => {
    const { source, state } = tokens()
    await source.token()
    source.refused()
    expect(source.token()).toBe('token-1')
    state.now = 10_000
    source.refused()
    expect(await source.token()).toBe('token-2')
  })

  it('come with a look at the account where a caller was forbidden something, every thirty seconds at most', async () => {
    const { source, state } = tokens()
    await source.token()
    state.now = 29_999
    source.forbade()
    expect(state.asked).toBe(1)
    state.now = 30_000
    source.forbade()
    source.forbade()
    expect(source.token()).toBe('token-1')
    await settled()
    expect(state.asked).toBe(2)
  })
})
