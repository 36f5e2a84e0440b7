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

describe('the answer to what is being typed', () => {
  it('is asked for once, after a pause', () => {
    for (const text of ['a', 'ab', 'abc']) latest.ask(text)
    expect(due.map(({ ms }) => ms)).toEqual([PAUSE_MS])
    pass()
    expect(asked.map(({ question }) => question)).toEqual(['abc'])
    expect(latest.known()).toEqual({ isAsking: true })
  })

  it('gives up a question that a newer one has overtaken, whose answer is not shown', async () => {
    latest.ask('a')
    pass()
    latest.ask('b')
    expect(asked[0]?.signal.aborted).toBe(true)
    pass()
    asked[1]?.resolve('B')
    asked[0]?.resolve('A')
    await settled()
    expect(latest.known()).toEqual({ answer: 'B', to: 'b', at: 7, isAsking: false })
  })

  it('keeps the answer before until there is another, also where the newer question fails', async () => {
    latest.ask('a')
    pass()
    asked[0]?.resolve('A')
    await settled()
    latest.ask('b')
    expect(latest.known()).toEqual({ answer: 'A', to: 'a', at: 7, isAsking: true })
    pass()
    asked[1]?.reject(new Error('no'))
    await settled()
    expect(latest.known()).toMatchObject({
      answer: 'A',
      to: 'a',
      problem: { message: 'no' },
      isAsking: false,
    })
  })

  it('does not ask the same twice in a row, except when it is asked again', async () => {
    latest.ask('a')
    pass()
    asked[0]?.reject(new Error('no'))
    await settled()
    latest.ask('a')
    expect(due).toEqual([])
    latest.again()
    pass()
    expect(asked.map(({ question }) => question)).toEqual(['a', 'a'])
  })

  it('asks nothing once it is stopped', () => {
    latest.ask('a')
    latest.stop()
    pass()
    expect(asked).toEqual([])
  })
})
