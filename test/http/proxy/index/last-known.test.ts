import { expect, it } from 'vitest'
import { LastKnown } from '../../../../http/proxy/index/last-known.js'
import { UnreachableError } from '../../../../ports/kube-api.js'

/** A memory of two answers, by a clock that a test moves; an answer is fresh for ten milliseconds and always stands in. */
function remembering() {
  let now = 0
  const known = new LastKnown<string>({ capacity: 2, now: () => now })
  const asked: string[] = []
  return {
    asked,
    pass: (ms: number) => (now += ms),
    get: (key: string, answer: () => Promise<string> = async () => key) =>
      known.get(key, {
        ask: () => {
          asked.push(key)
          return answer()
        },
        freshMs: () => 10,
        standsIn: () => true,
      }),
  }
}

it('an answer has the age of its request, also when it replaces another', async () => {
  const { get, pass } = remembering()
  const slow = async () => {
    pass(4)
    return 'yes'
  }
  expect(await get('a', slow)).toEqual({ value: 'yes', askedAt: 0, old: false })
  pass(2)
  expect(await get('a')).toEqual({ value: 'yes', askedAt: 0, old: false })
  pass(4)
  const away = () => Promise.reject(new UnreachableError('no route', 'EHOSTUNREACH'))
  expect(await get('a', away)).toEqual({ value: 'yes', askedAt: 0, old: true })
})

it('the oldest answer is dropped when the cache is full', async () => {
  const { get, asked } = remembering()
  for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) await get(key)
  expect(asked).toEqual(['a', 'b', 'c', 'a'])
})

it('an answer that is renewed pushes out no other', async () => {
  const { get, pass } = remembering()
  for (const key of ['a', 'b']) await get(key)
  pass(10)
  await get('b')
  const away = () => Promise.reject(new UnreachableError('no route', 'EHOSTUNREACH'))
  expect(await get('a', away)).toMatchObject({ value: 'a', old: true })
})

it('callers who ask at the same time share one request, and its failure', async () => {
  const { get, asked } = remembering()
  const broken = () => Promise.reject(new Error('broken'))
  expect(await Promise.all([get('a'), get('a'), get('a')])).toHaveLength(3)
  const failed = await Promise.allSettled([get('b', broken), get('b', broken)])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(asked).toEqual(['a', 'b'])
  await get('b')
  expect(asked).toEqual(['a', 'b', 'b'])
})
