import { describe, expect, it } from 'vitest'
import { AggregatedApis } from '../../../../http/proxy/index/aggregated-apis.js'
import type { KubeRequest } from '../../../../ports/kube-api.js'
import { UnreachableError } from '../../../../ports/kube-api.js'
import { refusal } from '../../fakes/host.js'

/** An instance with these APIServices, and what was asked of it. */
function instance(services: Record<string, object>) {
  const asked: string[] = []
  const clock = { now: 0 }
  const state: { services: Record<string, object>; error?: Error } = { services }
  const request = async ({ path }: KubeRequest) => {
    const name = path.split('/').at(-1) ?? ''
    asked.push(name)
    if (state.error) throw state.error
    const spec = state.services[name]
    if (!spec) throw refusal(404, 'NotFound', 'not found')
    return { spec }
  }
  const apis = new AggregatedApis(() => clock.now)
  const is = (group: string, version = 'v1', uid = 'uid') =>
    apis.isAggregated(uid, { request } as never, { group, version })
  return { asked, clock, state, is }
}

const byKarmada = { service: { namespace: 'karmada-system', name: 'karmada-aggregated-apiserver' } }

describe('the check for an aggregated API', () => {
  it('reads its APIService; for the core group it sends no request', async () => {
    const { is, asked } = instance({ 'v1.apps': {}, 'v1alpha1.cluster.karmada.io': byKarmada })
    expect(await is('')).toBe(false)
    expect(await is('apps')).toBe(false)
    expect(await is('cluster.karmada.io', 'v1alpha1')).toBe(true)
    expect(asked).toEqual(['v1.apps', 'v1alpha1.cluster.karmada.io'])
  })

  it('is made for each version, which different servers may serve', async () => {
    const { is } = instance({ 'v1.example.com': {}, 'v2.example.com': byKarmada })
    expect([await is('example.com', 'v1'), await is('example.com', 'v2')]).toEqual([false, true])
  })

  it('is cached for five minutes, shared by concurrent readers, and separate for each instance', async () => {
    const { is, asked, clock } = instance({ 'v1.apps': {} })
    await Promise.all([is('apps'), is('apps'), is('apps')])
    clock.now = 299_999
    await is('apps')
    expect(asked).toHaveLength(1)
    await is('apps', 'v1', 'another')
    clock.now = 300_000
    await is('apps')
    expect(asked).toHaveLength(3)
  })

  it('is repeated soon where there is no APIService, as while kube-apiserver starts', async () => {
    const { is, clock, state } = instance({})
    expect(await is('example.com')).toBe(false)
    state.services = { 'v1.example.com': byKarmada }
    expect(await is('example.com')).toBe(false)
    clock.now = 10_000
    expect(await is('example.com')).toBe(true)
  })

  it.each([
    ['cannot be reached', new UnreachableError('refused', 'ECONNREFUSED')],
    ['answers 503', refusal(503, 'ServiceUnavailable', 'away')],
  ])('keeps its last result while the instance %s, and is unknown without one', async (_, error) => {
    const { is, clock, state } = instance({ 'v1.cluster.karmada.io': byKarmada })
    await is('cluster.karmada.io')
    state.error = error
    clock.now = 3_600_000
    expect(await is('cluster.karmada.io')).toBe(true)
    await expect(is('apps')).rejects.toBe(error)
  })

  it('is unknown where Kairship may not read it, whatever the last result was', async () => {
    const { is, clock, state } = instance({ 'v1.apps': {} })
    await is('apps')
    clock.now = 300_000
    state.error = refusal(403, 'Forbidden', 'no')
    await expect(is('apps')).rejects.toThrow('no')
  })
})
