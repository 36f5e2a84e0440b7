import { expect, it } from 'vitest'
import { ReviewLimits } from '../../../../http/rpc/access-review/review-limits.js'
import { Code } from '../../../../transcoding/code.js'

/** Reviews that go on until they are ended. */
function reviews(limits = new ReviewLimits()) {
  const ends: (() => void)[] = []
  const begin = (user: string) =>
    limits.within(user, () => new Promise<string>(resolve => ends.push(() => resolve('whole'))))
  return { begin, ends, limits }
}

it('a caller has four reviews under way, and another caller has its own', async () => {
  const { begin, ends } = reviews()
  const begun = [1, 2, 3, 4].map(() => begin('ann'))
  await expect(begin('ann')).rejects.toMatchObject({ code: Code.RESOURCE_EXHAUSTED })
  begun.push(begin('bob'))
  for (const end of ends) end()
  expect(await Promise.all(begun)).toEqual(Array(5).fill('whole'))
})

it('all callers together have so many, and the next is told when to try again', async () => {
  const { begin, ends } = reviews(new ReviewLimits(3))
  const begun = ['ann', 'bob', 'cid'].map(begin)
  await expect(begin('dan')).rejects.toMatchObject({
    code: Code.RESOURCE_EXHAUSTED,
    message: '3 access reviews of all callers are under way, the most at once: try again in 2 seconds',
    details: { retryAfterSeconds: 2 },
  })
  ends[0]?.()
  await begun[0]
  begun.push(begin('dan'))
  for (const end of ends) end()
  expect(await Promise.all(begun)).toHaveLength(4)
})

it('a review that was refused or has failed leaves its places free', async () => {
  const { begin, ends, limits } = reviews(new ReviewLimits(1))
  const first = begin('ann')
  for (let i = 0; i < 10; i++) await expect(begin('bob')).rejects.toThrow('all callers')
  ends[0]?.()
  await first
  await expect(limits.within('bob', () => Promise.reject(new Error('broke')))).rejects.toThrow('broke')
  expect(await limits.within('bob', async () => 'whole')).toBe('whole')
})
