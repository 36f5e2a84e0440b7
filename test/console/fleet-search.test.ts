import { describe, expect, it } from 'vitest'
import { workloadKinds } from '../../console/kube/workload-kinds.js'
import { policyKinds } from '../../console/policies/policy-kinds.js'
import { addressOf, searched } from '../../console/search/fleet-search.js'

describe('a search', () => {
  it('covers all kinds of workloads and policies', () => {
    expect(searched).toEqual(expect.arrayContaining(Object.keys({ ...workloadKinds, ...policyKinds })))
  })
})

describe('the address of a search result', () => {
  it('is that of its screen', () => {
    expect(addressOf('instances', { name: 'eu' })).toBe('/instances/eu')
    expect(addressOf('clusters', { name: 'north', instance: 'eu' })).toBe('/instances/eu/clusters/north')
    expect(addressOf('daemonsets', { name: 'agent', instance: 'eu', namespace: 'kube' })).toBe(
      '/instances/eu/workloads/daemonsets/kube/agent',
    )
    expect(addressOf('cronjobs', { name: 'nightly', instance: 'eu', namespace: 'shop' })).toBe(
      '/instances/eu/workloads/cronjobs/shop/nightly',
    )
    expect(addressOf('propagationpolicies', { name: 'all', instance: 'eu', namespace: 'shop' })).toBe(
      '/instances/eu/policies/propagationpolicies/shop/all',
    )
    expect(addressOf('clusteroverridepolicies', { name: 'all', instance: 'eu' })).toBe(
      '/instances/eu/policies/clusteroverridepolicies/-/all',
    )
  })

  it('stays within the console for any name', () => {
    expect(addressOf('clusters', { name: '../..//evil?x#y', instance: 'eu' })).toBe(
      '/instances/eu/clusters/..%2F..%2F%2Fevil%3Fx%23y',
    )
  })
})
