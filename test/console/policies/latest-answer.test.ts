import { beforeEach, describe, expect, it } from 'vitest'
import { LatestAnswer, PAUSE_MS } from '../../../console/live/latest-answer.js'

/** Pauses that are over when a test says so. */
let due: { readonly run: () => void; readonly ms: number }[]
const time = {
  now: () => 7,
  later: (run: () => void, ms: number) => {
    const one = { run, ms }
    due.push(one)
    return () => {
      due = due.filter(other => other !== one)
    }
  },
}
const pass = () => {
  const over = due
  due = []
  for (const { run } of over) run()
}

interface Asked {
  readonly question: string
  readonly signal: AbortSignal
  readonly resolve: (answer: string) => void
  readonly reject: (error: Error) => void
}
let asked: Asked[]
let latest: LatestAnswer<string>
beforeEach(() => {
  due = []
  asked = []
  latest = new LatestAnswer(
    (question, signal) => new Promise((resolve, reject) => asked.push({ question, signal, resolve, reject })),
    time,
  )
})
const settled = async () => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
}

describe('the answer to a text that is being typed', () => {
  it('is requested once, after a pause', () => {
    for (const text of ['a', 'ab', 'abc']) latest.ask(text)
    expect(due.map(({ ms }) => ms)).toEqual([PAUSE_MS])
    pass()
    expect(asked.map(({ question }) => question)).toEqual(['abc'])
    expect(latest.state()).toEqual({ isLoading: true })
  })

  it('aborts a question when a newer one comes, and does not show its answer', async () => {
    latest.ask('a')
    pass()
    latest.ask('b')
    expect(asked[0]?.signal.aborted).toBe(true)
    pass()
    asked[1]?.resolve('B')
    asked[0]?.resolve('A')
    await settled()
    expect(latest.state()).toEqual({ answer: 'B', question: 'b', answeredAt: 7, isLoading: false })
  })

  it('keeps the last answer until the next, also when the newer question fails', async () => {
    latest.ask('a')
    pass()
    asked[0]?.resolve('A')
    await settled()
    latest.ask('b')
    expect(latest.state()).toEqual({ answer: 'A', question: 'a', answeredAt: 7, isLoading: true })
    pass()
    asked[1]?.reject(new Error('no'))
    await settled()
    expect(latest.state()).toMatchObject({
      answer: 'A',
      question: 'a',
      problem: { message: 'no' },
      isLoading: false,
    })
  })

  it('does not send the same question twice in a row, except on `retry`', async () => {
    latest.ask('a')
    pass()
    asked[0]?.reject(new Error('no'))
    await settled()
    latest.ask('a')
    expect(due).toEqual([])
    latest.retry()
    pass()
    expect(asked.map(({ question }) => question)).toEqual(['a', 'a'])
  })

  it('sends no question after `stop`', () => {
    latest.ask('a')
    latest.stop()
    pass()
    expect(asked).toEqual([])
  })
})
