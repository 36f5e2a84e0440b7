import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { PlaceGate } from '../../../../http/rpc/fleet/place-gate.js'

/** A gate, and who has passed it. */
function gate() {
  const of = new PlaceGate({ atOnce: 3, ofOne: 2 })
  const passed: string[] = []
  const { signal } = new AbortController()
  const enter = async (instance: string, until = signal) => {
    const leave = await of.enter(instance, until)
    passed.push(instance)
    return leave
  }
  return { enter, passed, signal }
}
const turn = () => new Promise(resolve => setImmediate(resolve))

describe('turns of places', () => {
  it('are of so many at once, and of one instance of fewer', async () => {
    const { enter, passed } = gate()
    const [first] = [enter('a'), enter('a'), enter('a'), enter('b'), enter('c')]
    await turn()
    expect(passed).toEqual(['a', 'a', 'b'])
    const leave = await first
    leave()
    await turn()
    expect(passed).toEqual(['a', 'a', 'b', 'a'])
    // Given back once, however often it is said.
    leave()
    await turn()
    expect(passed).toHaveLength(4)
  })

  it('are not taken by those that no longer wait', async () => {
    const { enter, passed, signal } = gate()
    const begun = await Promise.all([enter('a'), enter('b'), enter('c')])
    const gone = new AbortController()
    const waiting = enter('d', gone.signal)
    gone.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    await expect(enter('e', gone.signal)).rejects.toThrow('gone')
    const last = enter('f')
    begun[0]?.()
    await last
    expect(passed).toEqual(['a', 'b', 'c', 'f'])
    // One that was let in no longer listens.
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})
