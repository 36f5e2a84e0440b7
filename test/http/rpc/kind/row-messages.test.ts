import { describe, expect, it } from 'vitest'
import { RowMessages } from '../../../../http/rpc/kind/row-messages.js'
import type { RowStep } from '../../../../http/rpc/kind/shown-rows.js'
import { ListChange_Type as Type } from '../../../../proto/gen/kairship/types_pb.js'

const added = (row: string, total: number): RowStep<string> => ({ type: 'ADDED', row, total })
const [a, b] = [added('a', 1), added('b', 2)]
const state = (token: string, digest = token) => ({ digest, total: 2, token })

/** The messages after each step in words: type, row, total and token. */
const wordsOf = (messages: ReturnType<RowMessages['after']>) =>
  messages.map(({ type, row = '', total, resumeToken }) =>
    [Type[type], row, total, resumeToken].filter(one => one !== '').join(' '),
  )

describe('the messages of a stream of rows', () => {
  it('are the whole list at first, whose token comes when all of it was sent', () => {
    const messages = new RowMessages(undefined)
    expect(messages.isBegun).toBe(false)
    expect(wordsOf(messages.after([a, b], state('t1'), false))).toEqual([
      ...['RESET 0', 'ADDED a 1', 'ADDED b 2', 'BOOKMARK 2 t1'],
    ])
    expect(messages.isBegun).toBe(true)
  })

  it('are none of the list for a reader that has it, and all for one that has another', () => {
    expect(wordsOf(new RowMessages('t1').after([a, b], state('t1'), false))).toEqual(['BOOKMARK 2 t1'])
    expect(wordsOf(new RowMessages('t0').after([a], state('t1'), false))).toEqual([
      ...['RESET 0', 'ADDED a 1', 'BOOKMARK 2 t1'],
    ])
  })

  it('have a token with the last of several changes, because a reader that has some of them is in no state', () => {
    const messages = new RowMessages(undefined)
    messages.after([], state('t1'), false)
    expect(wordsOf(messages.after([a, b], state('t2'), false))).toEqual(['ADDED a 1', 'ADDED b 2 t2'])
  })

  it('are a bookmark when time has passed and the states are others, and none when they are the same', () => {
    const messages = new RowMessages(undefined)
    messages.after([], state('t1'), false)
    expect(wordsOf(messages.after([], state('t2'), false))).toEqual([])
    expect(wordsOf(messages.after([], state('t2'), true))).toEqual(['BOOKMARK 2 t2'])
    expect(wordsOf(messages.after([], state('t2'), true))).toEqual([])
    expect(wordsOf(messages.after([b], state('t3'), true))).toEqual(['ADDED b 2 t3'])
    expect(wordsOf(messages.after([], state('t3'), true))).toEqual([])
  })
})
