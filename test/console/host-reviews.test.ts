import { expect, it } from 'vitest'
import { type HostAction, HostReviews } from '../../console/rights/host-reviews.js'
import type { HostActionReview } from '../../proto/gen/kairship/access_review_pb.js'

const about = ({ verb, resource, name = '' }: HostAction) =>
  ({ summary: `${verb} ${resource} ${name}` }) as HostActionReview

function reviews(answer: (actions: readonly HostAction[]) => readonly HostActionReview[]) {
  const requests: (readonly HostAction[])[] = []
  const of = new HostReviews(async actions => {
    requests.push(actions)
    return answer(actions)
  })
  return { requests, of: (name: string) => of.of({ verb: 'delete', resource: 'accesslocks', name }) }
}

it('sends one request for all buttons of a render, and gives each its own answer', async () => {
  const { requests, of } = reviews(actions => actions.map(about))
  const answers = await Promise.all([of('a'), of('b')])
  expect(answers.map(({ summary }) => summary)).toEqual(['delete accesslocks a', 'delete accesslocks b'])
  await of('c')
  expect(requests.map(actions => actions.map(({ name }) => name))).toEqual([['a', 'b'], ['c']])
})

it('sends at most a hundred actions in a request, the server’s limit', async () => {
  const { requests, of } = reviews(actions => actions.map(about))
  const answers = await Promise.all(Array.from({ length: 250 }, (_, index) => of(`${index}`)))
  expect(requests.map(({ length }) => length)).toEqual([100, 100, 50])
  expect(answers[249]?.summary).toBe('delete accesslocks 249')
})

it('rejects for each button when the request fails or an answer is missing', async () => {
  const failing = reviews(() => {
    throw new Error('the host does not answer')
  })
  const outcomes = await Promise.allSettled([failing.of('a'), failing.of('b')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const { of } = reviews(actions => actions.slice(1).map(about))
  await expect(Promise.all([of('a'), of('b')])).rejects.toThrow('reviewed 1 of 2 actions')
})
