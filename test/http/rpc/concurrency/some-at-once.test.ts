import { describe, expect, it } from 'vitest'
import { sideCall } from '../../../../http/objects/side-call.js'
import { someAtOnce } from '../../../../http/rpc/concurrency/some-at-once.js'
import { aloneAnswers } from '../../fakes/answers.js'

/** Work whose ends a test decides. */
function work() {
  const begun: string[] = []
  const ends = new Map<string, { resolve: (value: string) => void; reject: (error: Error) => void }>()
  const run = (item: string) => {
    begun.push(item)
    return new Promise<string>((resolve, reject) => ends.set(item, { resolve, reject }))
  }
  const turn = () => new Promise(setImmediate)
  const end = (item: string) => {
    ends.get(item)?.resolve(item.toUpperCase())
    return turn()
  }
  const fail = (item: string) => {
    ends.get(item)?.reject(new Error(`${item} failed`))
    return turn()
  }
  return { run, begun, end, fail }
}

describe('some work for each item', () => {
  it('has so many under way and no more, and outcomes in the order of the items', async () => {
    const { run, begun, end } = work()
    const outcomes = someAtOnce(['a', 'b', 'c'], 2, run)
    expect(begun).toEqual(['a', 'b'])
    await end('b')
    expect(begun).toEqual(['a', 'b', 'c'])
    await end('c')
    await end('a')
    expect(await outcomes).toEqual(['A', 'B', 'C'])
  })

  it('begins none after the first failure, which it throws', async () => {
    const { run, begun, end, fail } = work()
    const outcomes = expect(someAtOnce(['a', 'b', 'c', 'd'], 2, run)).rejects.toThrow('a failed')
    await fail('a')
    await outcomes
    await end('b')
    expect(begun).toEqual(['a', 'b'])
  })

  it('for none is over at once', async () => {
    expect(await someAtOnce([], 2, () => Promise.reject(new Error('there is none')))).toEqual([])
  })
})

it('what completes an answer does not say where the answer is from, and counts as the call’s own', () => {
  const said: unknown[] = []
  const call = {
    caller: { user: 'ann', groups: [], extra: {} },
    signal: new AbortController().signal,
    answers: aloneAnswers(),
    answered: (from: unknown) => void said.push(from),
  }
  const { answered, ...side } = sideCall(call)
  answered({ source: 'karmada', reason: 'Member' })
  expect(said).toEqual([])
  expect(side).toEqual({ caller: call.caller, signal: call.signal, answers: call.answers })
})
