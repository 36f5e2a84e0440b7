import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { UntakenBytes } from '../../../http/console/untaken-bytes.js'

const settled = () => new Promise(resolve => setImmediate(resolve))

/** Pieces of callers that want to be sent, of ten bytes at once, and those that may, by name. */
function sending() {
  const untaken = new UntakenBytes(10)
  const sent: string[] = []
  const taken = new Map<string, () => void>()
  const leaving = new Map<string, AbortController>()
  const send = async (name: string, bytes: number, caller = 'mia') => {
    const control = new AbortController()
    leaving.set(name, control)
    try {
      taken.set(name, await untaken.take(caller, bytes, control.signal))
      sent.push(name)
    } catch (error) {
      sent.push(`${name}: ${(error as Error).message}`)
    }
  }
  return { untaken, sent, send, take: (name: string) => taken.get(name)?.(), leaving }
}

describe('the untaken bytes of one caller’s pages', () => {
  it('are bounded: further pieces wait until some are taken, in their order', async () => {
    const { sent, send, take } = sending()
    for (const name of ['a', 'b', 'c', 'd']) void send(name, 5)
    await settled()
    expect(sent).toEqual(['a', 'b'])
    take('b')
    take('b')
    await settled()
    expect(sent).toEqual(['a', 'b', 'c'])
    take('a')
    await settled()
    expect(sent).toEqual(['a', 'b', 'c', 'd'])
  })

  it('counts on where some is taken while nothing waits', async () => {
    const { sent, send, take } = sending()
    for (const name of ['a', 'b']) void send(name, 5)
    await settled()
    take('a')
    for (const name of ['c', 'd']) void send(name, 5)
    await settled()
    expect(sent).toEqual(['a', 'b', 'c'])
  })

  it('do not make other callers wait', async () => {
    const { sent, send } = sending()
    void send('a', 10)
    void send('b', 1)
    void send('of another', 10, 'noa')
    await settled()
    expect(sent).toEqual(['a', 'of another'])
  })

  it('may be one piece larger than the limit, which a later small one does not overtake', async () => {
    const { sent, send, take } = sending()
    void send('small', 1)
    void send('large', 100)
    void send('later', 1)
    await settled()
    expect(sent).toEqual(['small'])
    take('small')
    await settled()
    expect(sent).toEqual(['small', 'large'])
    take('large')
    await settled()
    expect(sent).toEqual(['small', 'large', 'later'])
  })

  it('leaves nothing at the signal of a piece that waited and went', async () => {
    const { send, take, leaving } = sending()
    void send('first', 10)
    void send('second', 1)
    await settled()
    const waiting = () => getEventListeners(leaving.get('second')!.signal, 'abort').length
    expect(waiting()).toBe(1)
    take('first')
    expect(waiting()).toBe(0)
  })

  it('go on with others when a waiting piece is aborted', async () => {
    const { untaken, sent, send, leaving } = sending()
    void send('first', 6)
    void send('large', 100)
    void send('small', 1)
    await settled()
    leaving.get('large')?.abort(new Error('given up'))
    await settled()
    expect(sent).toEqual(['first', 'large: given up', 'small'])
    await expect(untaken.take('mia', 1, AbortSignal.abort(new Error('over')))).rejects.toThrow('over')
  })
})
