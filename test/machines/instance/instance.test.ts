import { describe, expect, it } from 'vitest'
import { initialTransition, transition } from 'xstate'
import { conditionsOf } from '../../../machines/instance/conditions.js'
import { instanceMachine } from '../../../machines/instance/instance.js'
import { brokenClaims, type InstanceSnapshot, stateOf } from '../../../machines/instance/invariants.js'
import { reduceFact } from '../../../machines/instance/reduce-fact.js'
import { isDue } from '../../../machines/instance/wanted.js'
import { type FactName, facts, instance } from './facts.js'

type Asked = { type: string; params?: { src?: string } }

/** Starts from a CR, sends facts in order, and returns where that leads and which effects the last fact starts. */
function told(
  start: Parameters<typeof instance>[0] & { leading?: boolean },
  ...names: FactName[]
): { snapshot: InstanceSnapshot; asked: string[] } {
  const { leading = true, ...cr } = start
  let [snapshot, actions] = initialTransition(instanceMachine, {
    instance: instance(cr),
    leading,
  })
  for (const name of names) {
    ;[snapshot, actions] = transition(instanceMachine, snapshot, facts[name])
    expect(brokenClaims(snapshot)).toEqual([])
  }
  const asked = (actions as Asked[])
    .filter(({ type, params }) => type === 'xstate.spawnChild' && params?.src)
    .map(({ params }) => params!.src!)
  return { snapshot, asked }
}

/** Saying how it is and looking on are no work on the world outside. */
const isWork = (src: string) =>
  !['write the status', 'gather the statistics', 'watch the role bindings', 'measure the index'].includes(src)

const whole: FactName[] = ['resolved', 'healthy', 'distinct', 'synced', 'registered']

describe('an instance', () => {
  it.each<[string, FactName[], string]>([
    ['is registering until anything is known', [], 'registering'],
    [
      'stays registering while the Secret is missing',
      ['secretMissing', 'noVirtualCluster', 'unregistered'],
      'registering',
    ],
    [
      'stays registering while the control plane is unreachable',
      ['resolved', 'unreachable', 'distinct'],
      'registering',
    ],
    [
      'stays registering while another instance has the control plane',
      ['resolved', 'healthy', 'synced', 'registered', 'duplicate'],
      'registering',
    ],
    [
      'has a virtual cluster before it is ready',
      ['resolved', 'healthy', 'distinct', 'syncing', 'registered'],
      'virtualClusterSynced',
    ],
    [
      'is not ready without its registration',
      ['resolved', 'healthy', 'distinct', 'synced', 'unregistered'],
      'virtualClusterSynced',
    ],
    [
      'is not ready while Global Management refuses it',
      ['resolved', 'healthy', 'distinct', 'synced', 'refused'],
      'virtualClusterSynced',
    ],
    [
      'is not ready while the aggregated API is down',
      ['resolved', 'aggregatedDown', 'distinct', 'synced', 'registered'],
      'virtualClusterSynced',
    ],
    ['is ready when everything holds', whole, 'ready'],
    ['is ready in whatever order that is observed', [...whole].reverse(), 'ready'],
    ['is degraded when the control plane goes', [...whole, 'unreachable'], 'degraded'],
    ['is degraded when only the aggregated API goes', [...whole, 'aggregatedDown'], 'degraded'],
    ['is degraded when contact is lost, before the cause is known', [...whole, 'contactLost'], 'degraded'],
    ['is degraded when the host falls silent', [...whole, 'hostLost'], 'degraded'],
    ['is degraded when its Secret is taken away', [...whole, 'secretMissing'], 'degraded'],
    ['is degraded when its virtual cluster is removed by hand', [...whole, 'noVirtualCluster'], 'degraded'],
    ['is degraded when its index claims health and is stalled', [...whole, 'moving', 'stalled'], 'degraded'],
    ['is ready again when its index moves', [...whole, 'stalled', 'moving'], 'ready'],
    [
      'is degraded for as long as its index is stalled, whatever that claims meanwhile',
      [...whole, 'stalled', 'syncing', 'synced'],
      'degraded',
    ],
    [
      'is not ready while its index is stalled',
      ['resolved', 'healthy', 'distinct', 'synced', 'stalled', 'registered'],
      'virtualClusterSynced',
    ],
    ['is ready again when the part is mended', [...whole, 'unreachable', 'healthy'], 'ready'],
    [
      'is not ready after silence until the same was seen again',
      [...whole, 'hostLost', 'hostBack'],
      'degraded',
    ],
    [
      'is ready after silence when everything was seen again',
      [...whole, 'hostLost', 'hostBack', 'synced'],
      'ready',
    ],
    ['is deleting from any state', [...whole, 'deletionAsked'], 'deleting'],
    ['does not come back from deleting', [...whole, 'deletionAsked', 'claimed', ...whole], 'deleting'],
  ])('%s', (_claim, names, state) => {
    expect(stateOf(told({}, ...names).snapshot)).toBe(state)
  })

  it('that was ready before this process started is degraded, not registering, until all facts are observed', () => {
    expect(stateOf(told({ status: { phase: 'Ready' } }).snapshot)).toBe('degraded')
    expect(stateOf(told({ status: { phase: 'Degraded' } }, ...whole).snapshot)).toBe('ready')
  })

  it('is gone when its CR is gone, from any state', () => {
    expect(told({}, 'removed').snapshot.status).toBe('done')
    expect(told({}, ...whole, 'removed').snapshot.status).toBe('done')
    expect(told({}, ...whole, 'deletionAsked', 'removed').snapshot.status).toBe('done')
  })
})

describe('effects', () => {
  it.each<[string, FactName[], string[]]>([
    [
      'a virtual cluster is asked for once the control plane is known to be ours alone',
      ['resolved', 'healthy', 'noVirtualCluster', 'distinct'],
      ['ensure the virtual cluster'],
    ],
    [
      'role bindings are materialized when Global Management has spoken',
      ['resolved', 'healthy', 'distinct', 'bindings'],
      ['materialize the role bindings'],
    ],
    [
      'a registration is asked for once the virtual cluster exists',
      ['resolved', 'healthy', 'distinct', 'syncing', 'unregistered'],
      ['publish the registration'],
    ],
    [
      'no registration is created before the virtual cluster exists',
      ['resolved', 'healthy', 'distinct', 'noVirtualCluster', 'unregistered'],
      [],
    ],
    [
      'nothing is made for the control plane of an older instance',
      ['resolved', 'healthy', 'noVirtualCluster', 'duplicate'],
      [],
    ],
    [
      'nothing is made where the host is silent',
      ['resolved', 'healthy', 'noVirtualCluster', 'hostLost', 'distinct'],
      [],
    ],
    [
      'rotated credentials are not handed on before the control plane has answered under them',
      ['resolved', 'healthy', 'distinct', 'synced', 'rotated'],
      [],
    ],
    [
      'rotated credentials are written into the virtual cluster once it has',
      ['resolved', 'healthy', 'distinct', 'synced', 'rotated', 'healthyAfterRotation'],
      ['ensure the virtual cluster'],
    ],
    [
      'a kubeconfig swapped to another control plane is not handed on before that is known to be ours alone',
      ['resolved', 'healthy', 'distinct', 'synced', 'rotated', 'anotherHealthy'],
      [],
    ],
    [
      'a kubeconfig swapped to the control plane of an older Instance is never handed on',
      ['resolved', 'healthy', 'distinct', 'synced', 'rotated', 'anotherHealthy', 'duplicate'],
      [],
    ],
    [
      'a kubeconfig swapped to a control plane that no other Instance manages is handed on',
      ['resolved', 'healthy', 'distinct', 'synced', 'rotated', 'anotherHealthy', 'distinct'],
      ['ensure the virtual cluster'],
    ],
    [
      'nothing is made for a cluster that is no Karmada',
      ['resolved', 'plainCluster', 'noVirtualCluster', 'unregistered', 'bindings', 'distinct'],
      [],
    ],
    [
      'what is made waits until a Karmada serves its aggregated API',
      ['resolved', 'plainCluster', 'noVirtualCluster', 'distinct', 'healthy'],
      ['ensure the virtual cluster'],
    ],
  ])('%s', (_claim, names, effects) => {
    const { asked } = told({ status: { phase: 'Registering' } }, ...names)
    expect(asked.filter(isWork)).toEqual(effects)
  })

  it.each<[string, FactName[], string]>([
    ['is measured by any replica once it claims to be synced', ['synced'], 'measuring'],
    ['is left alone until it claims that', ['syncing'], 'idle'],
    ['is left alone while the control plane does not answer', ['synced', 'unreachable'], 'idle'],
    ['is measured again when it can', ['synced', 'unreachable', 'healthy'], 'measuring'],
    ['is left alone where the control plane belongs to an older instance', ['synced', 'duplicate'], 'idle'],
  ])('an index %s', (_claim, names, index) => {
    const { snapshot } = told({ leading: false }, 'resolved', 'healthy', 'distinct', ...names)
    expect(snapshot.value).toMatchObject({ managed: { index } })
  })

  it('the index is not measured once deletion is requested', () =>
    expect(told({}, ...whole, 'deletionAsked').snapshot.children).not.toHaveProperty('canary'))

  it('wait while the replica does not lead, and start when it does', () => {
    expect(told({ leading: false }, ...whole).asked).toEqual([])
    expect(told({ leading: false }, ...whole, 'leading').asked).toEqual(
      expect.arrayContaining([
        'ensure the virtual cluster',
        'publish the registration',
        'gather the statistics',
      ]),
    )
  })

  it('apply role bindings again when they were changed inside, and nothing else', () => {
    const known: FactName[] = ['resolved', 'healthy', 'distinct', 'bindings']
    const before = told({ status: { phase: 'Registering' } }, ...known).snapshot
    const task = 'roleBindings'
    const settled = {
      ...before.context,
      work: { [task]: { attempts: 0, tried: before.context.wanted[task]!, outcome: 'unwatched' } },
    }
    expect(isDue(settled, task)).toBe(false)
    const changed = reduceFact(settled, { type: 'roleBindings.rbacChanged' })
    expect(isDue(changed, task)).toBe(true)
    expect(changed.facts).toBe(settled.facts)
  })

  it('do not start on a cluster that is not Karmada: no statistics, watches or canary', () => {
    const { asked, snapshot } = told({}, 'resolved', 'plainCluster', 'distinct', 'synced', 'registered')
    expect(asked).toEqual([])
    expect(snapshot.value).toMatchObject({ managed: { index: 'idle', statistics: 'idle' } })
    expect(conditionsOf(snapshot.context).at(-1)).toMatchObject({ type: 'Ready', reason: 'NotServed' })
  })

  it('revoke role bindings inside a Karmada that no longer serves its aggregated API', () => {
    const conditions = [
      {
        ...{ type: 'RoleBindingsMaterialized', status: 'True' as const, reason: 'Materialized', message: '' },
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ]
    const { asked } = told(
      { status: { phase: 'Ready', conditions } },
      ...(['resolved', 'plainCluster', 'distinct', 'bindings'] as const),
    )
    expect(asked.filter(isWork)).toEqual(['materialize the role bindings'])
  })

  it('start with the finalizer, before any other effect', () => {
    expect(told({ finalizers: [] }, 'unclaimed', ...whole).asked).toEqual([])
    expect(told({ finalizers: [], leading: false }, ...whole, 'leading').asked.filter(isWork)).toEqual([
      'add the finalizer',
    ])
  })

  it('that run are stopped when leadership is lost', () => {
    const { snapshot } = told({}, 'resolved', 'healthy', 'distinct', 'noVirtualCluster', 'following')
    expect(snapshot.hasTag('acting')).toBe(false)
    expect(snapshot.value).toMatchObject({ managed: { virtualCluster: 'standby' } })
  })

  it('of a deletion start with the registration', () => {
    expect(told({}, ...whole, 'deletionAsked').asked.filter(isWork)).toEqual(['withdraw the registration'])
    expect(told({ leading: false }, ...whole, 'deletionAsked').asked).toEqual([])
  })
})
