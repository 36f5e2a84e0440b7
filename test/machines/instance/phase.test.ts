import { describe, expect, it } from 'vitest'
import type { InstanceEvent } from '../../../machines/instance/events.js'
import type { InstanceSpec } from '../../../manifests/instance.js'
import { instance } from './facts.js'
import { reached, type Step, walked, whole } from './walked.js'

const install: InstanceSpec = { install: {} }
const observed = (cr: Parameters<typeof instance>[0]): InstanceEvent => ({
  type: 'instance.observed',
  instance: instance(cr),
})

describe('the phase of an instance', () => {
  it.each<[string, Parameters<typeof walked>[0], readonly Step[], unknown]>([
    ['accepts a CR without our finalizer', { finalizers: [] }, [], { registering: 'accepting' }],
    ['accepts no CR that cannot be used', { spec: {} }, ['resolved'], { registering: 'accepting' }],
    ['resolves the credentials of an accepted one', {}, [], { registering: 'resolvingCredentials' }],
    ['waits for the control plane that is installed', { spec: install }, [], { registering: 'installing' }],
    [
      'reaches the control plane that was installed',
      { spec: install },
      ['resolved'],
      { registering: 'reaching' },
    ],
    [
      'waits for an installation again whose kubeconfig is gone',
      { spec: install },
      ['resolved', 'secretMissing'],
      { registering: 'installing' },
    ],
    [
      'adopts what was to be installed when the CR says so',
      { spec: install },
      [observed({})],
      { registering: 'resolvingCredentials' },
    ],
    [
      'installs what was to be adopted when the CR says so',
      {},
      [observed({ spec: install })],
      { registering: 'installing' },
    ],
    ['reaches the control plane by its credentials', {}, ['resolved'], { registering: 'reaching' }],
    [
      'resolves credentials that are gone',
      {},
      ['resolved', 'secretMissing'],
      { registering: 'resolvingCredentials' },
    ],
    [
      'is a duplicate while an older instance has the control plane',
      {},
      [...reached, 'duplicate'],
      { registering: 'duplicate' },
    ],
    [
      'reaches the control plane when that one is gone',
      {},
      [...reached, 'duplicate', 'distinct'],
      { registering: 'reaching' },
    ],
    [
      'is syncing when the virtual cluster exists',
      {},
      [...reached, 'syncing'],
      { virtualClusterSynced: 'syncing' },
    ],
    ['is publishing when it is synced', {}, [...reached, 'synced'], { virtualClusterSynced: 'publishing' }],
    [
      'is syncing again when the index is',
      {},
      [...reached, 'synced', 'syncing'],
      { virtualClusterSynced: 'syncing' },
    ],
    [
      'is registering again when the virtual cluster is gone',
      {},
      [...reached, 'syncing', 'noVirtualCluster'],
      { registering: 'reaching' },
    ],
    [
      'is registering while the virtual cluster is being deleted',
      {},
      [...reached, { type: 'virtualCluster.observed', virtualCluster: { revision: 'vc-1', deleting: true } }],
      { registering: 'reaching' },
    ],
    ['is ready when all holds', {}, whole, 'ready'],
    ['starts as degraded where it was degraded', { status: { phase: 'Degraded' } }, [], 'degraded'],
    ['starts as degraded where it was ready', { status: { phase: 'Ready' } }, [], 'degraded'],
    [
      'starts anew where it never was ready',
      { status: { phase: 'VirtualClusterSynced' } },
      [],
      { registering: 'resolvingCredentials' },
    ],
  ])('%s', (_claim, start, steps, phase) => {
    expect(walked(start, ...steps).region('phase')).toEqual(phase)
  })

  it.each<[string, readonly Step[]]>([
    ['resolves credentials', []],
    ['reaches the control plane', ['resolved']],
  ])('writes the finalizer again when it was removed while the instance %s', (_while, steps) => {
    expect(walked({}, ...steps, 'unclaimed').region('phase')).toEqual({ registering: 'accepting' })
  })

  it('writes the finalizer again when it was removed while the instance is being installed', () => {
    const unclaimed = observed({ finalizers: [], spec: install })
    expect(walked({ spec: install }, unclaimed).region('phase')).toEqual({ registering: 'accepting' })
  })
})

describe('statistics', () => {
  const gathered = (...steps: Step[]) => walked({}, 'resolved', 'healthy', ...steps)
  it('are gathered, and RBAC inside is watched, only for a Karmada without a duplicate', () => {
    const { region, started } = gathered('distinct')
    expect(region('statistics')).toBe('gathering')
    expect(started.map(({ src }) => src)).toEqual(['gather the statistics', 'watch the role bindings'])
  })
  it.each<[string, Step[]]>([
    ['of an older instance', ['duplicate']],
    ['that does not answer any more', ['distinct', 'unreachable']],
    ['to which there is no connection', ['distinct', 'contactLost']],
    ['where this replica does not lead any more', ['distinct', 'following']],
    ['that turned out to be none', ['distinct', 'plainCluster']],
  ])('are not gathered from a control plane %s', (_which, steps) => {
    expect(gathered(...steps).region('statistics')).toBe('idle')
  })
  it('stop together with every watch that triggers them', () => {
    expect(gathered('distinct', 'contactLost').stopped).toEqual(
      expect.arrayContaining(['statistics', 'inside']),
    )
  })
})
