import { beforeEach, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../manifests/kube.js'
import { type CacheEvent, EventWindow } from '../../../../playground/karmada/search/event-window.js'

const object: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } }
const event = (revision: number): CacheEvent => ({ type: 'ADDED', object, revision })
const revisions = (events: readonly CacheEvent[] | undefined) => events?.map(({ revision }) => revision)

let now = 0
beforeEach(() => {
  now = 0
})
const windowOf = (from: number, count: number) => {
  const window = new EventWindow(from, () => now)
  for (let revision = from + 1; revision <= from + count; revision += 1) window.push(event(revision))
  return window
}

describe('the past of a cache', () => {
  it('is what came after a revision', () => {
    const window = windowOf(10, 3)
    expect(revisions(window.since(10))).toEqual([11, 12, 13])
    expect(revisions(window.since(12))).toEqual([13])
    expect(revisions(window.since(99))).toEqual([])
  })

  it('does not go back before its beginning', () => {
    expect(windowOf(10, 3).since(9)).toBeUndefined()
  })

  it('keeps many events that are fresh', () => {
    expect(windowOf(0, 1_000).since(0)).toHaveLength(1_000)
  })

  it('keeps a hundred events however old they are, and forgets the others', () => {
    const window = windowOf(0, 1_000)
    now = 76_000
    window.push(event(1_001))
    expect(window.oldest).toBe(901)
    expect(window.since(900)).toBeUndefined()
    expect(revisions(window.since(901))).toHaveLength(100)
  })

  it('keeps 102400 events at most, however fresh', () => {
    const window = windowOf(0, 102_401)
    expect(window.oldest).toBe(1)
    expect(window.since(0)).toBeUndefined()
    expect(window.since(1)).toHaveLength(102_400)
  })
})
