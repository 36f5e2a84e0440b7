import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SortedList } from '../../../playground/container-management/index/sorted-list.js'

const byValue = (one: number, other: number) => one - other
const join = (items: readonly number[]) => Buffer.from(items.join())

describe('a sorted list', () => {
  it('has the items of a sorted array after any changes', () => {
    const numbers = fc.array(fc.integer({ min: 0, max: 2000 }), { maxLength: 1500 })
    fc.assert(
      fc.property(numbers, numbers, (added, removed) => {
        const list = new SortedList(byValue)
        const model = new Set<number>()
        for (const number of new Set(added)) {
          list.add(number)
          model.add(number)
        }
        for (const number of removed) expect(list.delete(number)).toBe(model.delete(number))
        const sorted = [...model].sort(byValue)
        expect([...list.from()]).toEqual(sorted)
        expect(list.length).toBe(sorted.length)
        expect(list.slice(100, 50)).toEqual(sorted.slice(100, 150))
      }),
      { numRuns: 50 },
    )
  })

  it('joins only the chunk that changed', () => {
    const list = new SortedList(
      byValue,
      Array.from({ length: 5000 }, (_, index) => index * 2),
    )
    const before = list.bodies(join)
    list.add(4001)
    const after = list.bodies(join)
    expect(after.filter(body => !before.includes(body))).toHaveLength(1)
    expect(Buffer.concat(after.flatMap(body => [body, Buffer.from(',')])).includes(',4000,4001,4002,')).toBe(
      true,
    )
  })

  it('deletes only the given item among those with an equal key', () => {
    const list = new SortedList<{ at: number; name: string }>((one, other) =>
      one.at === other.at ? (one.name < other.name ? -1 : one.name > other.name ? 1 : 0) : one.at - other.at,
    )
    list.add({ at: 1, name: 'a' })
    expect(list.delete({ at: 1, name: 'b' })).toBe(false)
    expect(list.length).toBe(1)
  })
})
