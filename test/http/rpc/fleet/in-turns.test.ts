import { describe, expect, it } from 'vitest'
import type { Place } from '../../../../http/objects/object-type.js'
import { inTurns } from '../../../../http/rpc/fleet/in-turns.js'

const members = (instance: string, count: number): Place[] =>
  Array.from({ length: count }, (_, n) => ({ instance, cluster: `m${n}` }))
const named = ({ instance, cluster }: Place) => `${instance}/${cluster}`
const turn = () => new Promise(setImmediate)

describe('work for places in turns', () => {
  it('goes from one instance to the next, however many places one has', async () => {
    const begun: string[] = []
    const work = async (place: Place) => {
      begun.push(named(place))
      await turn()
      return named(place)
    }
    const places = [...members('a', 3), ...members('b', 1), ...members('c', 2)]
    const outcomes = await inTurns(places, { atOnce: 1, ofOne: 1 }, work)
    expect(begun).toEqual(['a/m0', 'b/m0', 'c/m0', 'a/m1', 'c/m1', 'a/m2'])
    expect([...outcomes].sort()).toEqual(places.map(named).sort())
  })

  it('begins none after the first failure, which it throws', async () => {
    const begun: string[] = []
    const work = async (place: Place) => {
      begun.push(named(place))
      await turn()
      if (place.instance === 'a') throw new Error('a broke')
    }
    const places = [...members('a', 2), ...members('b', 5)]
    await expect(inTurns(places, { atOnce: 2, ofOne: 2 }, work)).rejects.toThrow('a broke')
    await turn()
    await turn()
    expect(begun).toEqual(['a/m0', 'b/m0'])
  })

  it('has so many places of an instance under way, and goes on with it when one is over', async () => {
    let [underWay, most] = [0, 0]
    const work = async () => {
      underWay += 1
      most = Math.max(most, underWay)
      await turn()
      underWay -= 1
    }
    expect(await inTurns(members('a', 7), { atOnce: 5, ofOne: 2 }, work)).toHaveLength(7)
    expect(most).toBe(2)
  })
})
