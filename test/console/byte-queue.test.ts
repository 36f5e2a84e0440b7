import { expect, it } from 'vitest'
import { ByteQueue } from '../../console/terminal/byte-queue.js'

function queueOf(...pieces: readonly (readonly number[])[]): ByteQueue {
  const queue = new ByteQueue()
  for (const piece of pieces) queue.add(Uint8Array.from(piece))
  return queue
}
const taken = (queue: ByteQueue, most: number) => {
  const bytes = queue.take(most)
  return bytes && [...bytes]
}

it('gives the oldest bytes, at most as many as are wanted, over the bounds of pieces', () => {
  const queue = queueOf([1, 2, 3], [], [4], [5, 6])
  expect([taken(queue, 2), taken(queue, 3), taken(queue, 9), queue.length]).toEqual([
    [1, 2],
    [3, 4, 5],
    [6],
    0,
  ])
})

it('gives nothing where it has nothing', () => {
  expect([taken(queueOf(), 1), taken(queueOf([]), 1)]).toEqual([undefined, undefined])
})

it('drops whole pieces from the oldest on, and what is left of one that was begun', () => {
  const queue = queueOf([1, 2, 3], [4, 5], [6])
  queue.take(1)
  expect([queue.drop(1), queue.drop(1), taken(queue, 9)]).toEqual([2, 2, [6]])
})

it('drops all where more is to be dropped than there is', () => {
  const queue = queueOf([1, 2], [3])
  expect([queue.drop(9), queue.length, queue.drop(1), taken(queue, 1)]).toEqual([3, 0, 0, undefined])
})
