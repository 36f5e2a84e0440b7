import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Connected, InstanceConnection } from '../../../actors/instance/instance-connection.js'
import type { KubeApi } from '../../../ports/kube-api.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A connection that notes in `closed` when it is closed. */
const connected = (name: string, closed: string[]): Connected => ({
  api: { server: name, close: async () => void closed.push(name) } as unknown as KubeApi,
  kubeconfig: '',
  fingerprint: name,
})

describe('the connection of an instance whose credentials change', () => {
  it('is replaced at once, and the old one closes after its grace period', () => {
    const closed: string[] = []
    const connection = new InstanceConnection()
    const seen: (string | undefined)[] = []
    connection.changes.subscribe(now => seen.push(now?.fingerprint))
    connection.replace(connected('old', closed))
    connection.replace(connected('new', closed))
    expect(connection.current?.fingerprint).toBe('new')
    expect(seen).toEqual([undefined, 'old', 'new'])
    vi.advanceTimersByTime(29_999)
    expect(closed).toEqual([])
    vi.advanceTimersByTime(1)
    expect(closed).toEqual(['old'])
  })

  it('is announced before the old one is closed, so that watches move without a gap', () => {
    const closed: string[] = []
    const connection = new InstanceConnection()
    connection.replace(connected('old', closed))
    const closedWhenTold: string[][] = []
    connection.changes.subscribe(() => closedWhenTold.push([...closed]))
    connection.replace(connected('new', closed))
    expect(closedWhenTold).toEqual([[], []])
  })

  it('is removed with the Secret; the last one still closes after its grace period', () => {
    const closed: string[] = []
    const connection = new InstanceConnection()
    connection.replace(connected('old', closed))
    connection.replace(undefined)
    expect(connection.current).toBeUndefined()
    expect(connection.last?.fingerprint).toBe('old')
    vi.advanceTimersByTime(30_000)
    expect(closed).toEqual(['old'])
    expect(connection.last).toBeUndefined()
  })

  it('closes with the instance, retired ones included, each once', async () => {
    const closed: string[] = []
    const connection = new InstanceConnection()
    for (const name of ['first', 'second', 'third']) connection.replace(connected(name, closed))
    await connection.close()
    expect([...closed].sort()).toEqual(['first', 'second', 'third'])
    expect(connection.current).toBeUndefined()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(closed).toHaveLength(3)
  })
})
