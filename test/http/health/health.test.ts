import { afterEach, describe, expect, it } from 'vitest'
import { type HealthListener, startHealth } from '../../../http/health/health-listener.js'
import { createMetrics, gaugeInstances } from '../../../http/health/metrics.js'
import { readiness } from '../../../http/health/readiness.js'
import type { IndexFreshness, InstanceIndex } from '../../../ports/instance-index.js'
import { fakeFleet, viewOf } from '../fakes/fleet.js'

let listener: HealthListener | undefined
afterEach(() => listener?.close())

async function listening(ready = true) {
  const metrics = createMetrics({ ofProcess: false })
  listener = await startHealth({
    listen: '127.0.0.1:0',
    readiness: () =>
      readiness(
        [{ name: 'host', problem: async () => (ready ? undefined : 'is away') }],
        ['lease held by a'],
      ),
    metrics: () => metrics.expose(),
  })
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${listener!.url}${path}`, init)
    return {
      status: response.status,
      text: await response.text(),
      type: response.headers.get('content-type'),
    }
  }
  return { metrics, get }
}

describe('the health listener', () => {
  it('reports liveness, readiness, and the failed checks', async () => {
    const { get } = await listening(false)
    expect(await get('/healthz')).toMatchObject({ status: 200, text: 'ok' })
    expect(await get('/readyz')).toMatchObject({
      status: 503,
      text: '[-]host failed: is away\n[i]lease held by a\nreadyz check failed\n',
    })
  })

  it('exposes every declared metric with its help and its value', async () => {
    const { metrics, get } = await listening()
    const fleet = fakeFleet(viewOf('a'), viewOf('b'), viewOf('c', 'degraded'))
    const freshness: Record<string, IndexFreshness> = {
      a: { state: 'current', lagMs: 25, measuredAt: '2026-11-20T10:00:00.000Z' },
      c: { state: 'unknown' },
    }
    const index = (name: string) =>
      freshness[name] && ({ freshness: freshness[name] } as unknown as InstanceIndex)
    gaugeInstances({ list: () => fleet.list(), index }, metrics)
    metrics.count('kairship_relists_total', { resource: 'instances' })
    metrics.observe('kairship_effect_duration_seconds', 0.2, { effect: 'probe' })
    const { text, type } = await get('/metrics')
    expect(type).toMatch(/^text\/plain; version=0.0.4/)
    expect(text).toContain('kairship_instances{state="ready"} 2')
    expect(text).toContain('kairship_instances{state="deleting"} 0')
    expect(text).toContain('kairship_indexes{freshness="current"} 1')
    expect(text).toContain('kairship_indexes{freshness="unknown"} 1')
    expect(text).toContain('kairship_indexes{freshness="stalled"} 0')
    expect(text).toContain('kairship_relists_total{resource="instances"} 1')
    expect(text).toContain('kairship_effect_duration_seconds_count{effect="probe"} 1')
  })

  it('answers 404 for other paths, and 405 for methods other than GET', async () => {
    const { get } = await listening()
    expect((await get('/apis')).status).toBe(404)
    expect((await get('/healthz', { method: 'POST' })).status).toBe(405)
  })
})

describe('an instance that is not ready', () => {
  it('has a metric with its state and the root cause, until it is ready', async () => {
    const { metrics, get } = await listening()
    const fleet = fakeFleet(viewOf('a'), viewOf('c', 'degraded'))
    const gauge = () => gaugeInstances({ list: () => fleet.list(), index: () => undefined }, metrics)
    gauge()
    const named = 'kairship_instance_not_ready{instance="c",state="degraded",reason="Tested"} 1'
    expect((await get('/metrics')).text).toContain(named)
    fleet.set(viewOf('c'))
    gauge()
    expect((await get('/metrics')).text).not.toContain('kairship_instance_not_ready{')
  })
})

describe('a metric', () => {
  it('must be declared, and has one kind', () => {
    const metrics = createMetrics({ ofProcess: false })
    expect(() => metrics.count('kairship_surprises_total')).toThrow(
      'declares no counter called kairship_surprises_total',
    )
    expect(() => metrics.gauge('kairship_relists_total', 1)).toThrow('declares no gauge')
  })

  it('accepts only declared labels', () => {
    const metrics = createMetrics({ ofProcess: false })
    expect(() => metrics.count('kairship_relists_total', { user: 'x' })).toThrow()
  })
})
