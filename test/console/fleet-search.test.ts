import { describe, expect, it } from 'vitest'
import { addressOf } from '../../console/search/fleet-search.js'

describe('the address of a search result', () => {
  it('is that of its screen', () => {
    expect(addressOf('instances', { name: 'eu' })).toBe('/instances/eu')
    expect(addressOf('clusters', { name: 'north', instance: 'eu' })).toBe('/instances/eu/clusters/north')
    expect(addressOf('daemonsets', { name: 'agent', instance: 'eu', namespace: 'kube' })).toBe(
      '/instances/eu/workloads/daemonsets/kube/agent',
    )
    expect(addressOf('propagationpolicies', { name: 'all', instance: 'eu', namespace: 'shop' })).toBe(
      '/instances/eu/policies?kind=propagationpolicies&find=all',
    )
  })

  it('stays within the console for any name', () => {
    expect(addressOf('clusters', { name: '../..//evil?x#y', instance: 'eu' })).toBe(
      '/instances/eu/clusters/..%2F..%2F%2Fevil%3Fx%23y',
    )
  })
})
