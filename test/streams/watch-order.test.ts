import { describe, expect, it } from 'vitest'
import { OutOfOrderError, WatchOrder } from '../../streams/watch-order.js'

describe('the order of one watch', () => {
  it.each([
    ['an event that the watch began after', '9'],
    ['the version that the watch began at', '10'],
    ['an event that was sent before', '12'],
  ])('treats %s as a repeat', (_, version) => {
    const order = new WatchOrder('10')
    expect(['11', '12', '15'].map(one => order.isNews(one))).toEqual([true, true, true])
    expect(order.isNews(version)).toBe(false)
  })

  it.each([
    ['event', (order: WatchOrder) => order.isNews('20')],
    ['bookmark', (order: WatchOrder) => order.isProgress('20')],
  ])('refuses an event that a later %s has overtaken', (_, overtake) => {
    const order = new WatchOrder('10')
    expect(overtake(order)).toBe(true)
    expect(() => order.isNews('15')).toThrow(OutOfOrderError)
  })

  it('ignores a bookmark at the current version', () => {
    const order = new WatchOrder('10')
    order.isNews('20')
    expect(['15', '20', '21'].map(one => order.isProgress(one))).toEqual([false, false, true])
  })

  it('remembers at most 1,024 events', () => {
    const order = new WatchOrder('10')
    for (let version = 11; version <= 11 + 1_024; version += 1) order.isNews(String(version))
    expect(order.isNews('12')).toBe(false)
    expect(() => order.isNews('11')).toThrow(OutOfOrderError)
  })

  it('accepts versions that are not numbers', () => {
    const order = new WatchOrder('b')
    expect(['a', 'c', 'a'].map(one => order.isNews(one))).toEqual([true, true, true])
  })
})
