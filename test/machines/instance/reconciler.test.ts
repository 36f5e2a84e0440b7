import { describe, expect, it } from 'vitest'
import { mayGather } from '../../../machines/instance/coming-up.js'
import type { InstanceEvent } from '../../../machines/instance/events.js'
import type { OutsideObject } from '../../../machines/instance/facts.js'
import {
  CONFIRM_WITHIN_MS,
  GATHER_MS,
  ROLE_BINDINGS_PAUSE_MS,
  STATUS_PAUSE_COMING_UP_MS,
  STATUS_PAUSE_MS,
} from '../../../machines/retry.js'
import type { InstanceStatus } from '../../../manifests/instance.js'
import { instance } from './facts.js'
import { done, fails, reached, rested, type Step, walked, whole } from './walked.js'

const made = done('virtualCluster', 'vc-1')
const failed = fails('virtualCluster')
const isMaking = (effect: string) => effect === 'ensure the virtual cluster'
/** Other types shall be indexed. */
const reindexed: Step = {
  type: 'instance.observed',
  instance: instance({
    spec: {
      kubeconfigSecretRef: { namespace: 'fleet', name: 'alpha' },
      index: { resources: [{ group: 'apps', resources: ['deployments'] }] },
    },
  }),
}
/** The PediaCluster as the watch shows it. */
const seen = (object: Partial<OutsideObject>): InstanceEvent => ({
  type: 'virtualCluster.observed',
  virtualCluster: { revision: 'vc-1', deleting: false, ...object },
})

it('the reconciler of role bindings retries at once when they change after a failure, so that no revocation waits', () => {
  const failing = [...reached, 'bindings', fails('roleBindings', 'Forbidden')] as const
  expect(walked({}, ...failing).region('roleBindings')).toBe('resting')
  const changed = walked({}, ...failing, {
    type: 'roleBindings.observed',
    roleBindings: { revision: 'rb-2', count: 1 },
  })
  expect([changed.region('roleBindings'), changed.work]).toEqual([
    'acting',
    ['materialize the role bindings'],
  ])
})

describe('the reconciler of a PediaCluster', () => {
  it.each<[string, Step[], string, string[]]>([
    ['makes it when it is missing', [], 'acting', ['ensure the virtual cluster']],
    ['aborts that when it is not wanted any more', ['unreachable'], 'settled', []],
    ['waits until the watch shows what was made', [made], 'confirming', []],
    ['makes nothing on top of what is not seen yet', [made, reindexed], 'confirming', []],
    ['is settled when the watch shows it', [made, seen({})], 'settled', []],
    ['waits no longer for what is not wanted any more', [made, 'unreachable'], 'settled', []],
    [
      'makes it again when the watch stays silent',
      [made, rested('virtualCluster')],
      'acting',
      ['ensure the virtual cluster'],
    ],
    ['leaves it to the replica that leads by then', [made, 'following'], 'standby', []],
    [
      'makes it again when it is being deleted',
      [made, seen({}), seen({ deleting: true })],
      'acting',
      ['ensure the virtual cluster'],
    ],
    [
      'makes it again when it was changed',
      [made, seen({}), seen({ revision: 'vc-2' })],
      'acting',
      ['ensure the virtual cluster'],
    ],
    [
      'makes it again when it is gone',
      [made, seen({}), 'noVirtualCluster'],
      'acting',
      ['ensure the virtual cluster'],
    ],
    ['leaves it alone when its owner judges it', [made, seen({}), 'synced'], 'settled', []],
    ['rests after a failure', [failed], 'resting', []],
    [
      'tries again after the rest',
      [failed, rested('virtualCluster')],
      'acting',
      ['ensure the virtual cluster'],
    ],
    [
      'tries again at once when it wants something else',
      [failed, 'rotated', 'healthyAfterRotation'],
      'acting',
      ['ensure the virtual cluster'],
    ],
    ['does not try again what is not wanted any more', [failed, 'unreachable'], 'settled', []],
    [
      'does not try again where it does not lead',
      [failed, 'following', rested('virtualCluster')],
      'standby',
      [],
    ],
    [
      'does not repeat a defect',
      [fails('virtualCluster', 'NotProvided'), rested('virtualCluster')],
      'resting',
      [],
    ],
  ])('%s', (_claim, steps, state, work) => {
    const { region, work: begun } = walked({}, ...reached, ...steps)
    expect([region('virtualCluster'), begun.filter(isMaking)]).toEqual([state, work])
  })

  it('does not wait for the leader when no object is wanted', () => {
    expect(walked({ leading: false }, ...reached).region('virtualCluster')).toBe('standby')
    expect(walked({ leading: false }, ...reached, 'unreachable').region('virtualCluster')).toBe('settled')
  })

  it('retries when the watch does not show the written object', () => {
    const [rest] = walked({}, ...reached, made).started
    expect(rest).toMatchObject({
      src: 'rest',
      input: { task: 'virtualCluster', ms: CONFIRM_WITHIN_MS, announce: false },
    })
  })

  it('backs off longer after each consecutive failure, and reports until when', () => {
    const restAfter = (...steps: Step[]) => walked({}, ...reached, ...steps, failed).started[0]?.input
    expect(restAfter()).toEqual({ task: 'virtualCluster', ms: 1_000, announce: true })
    expect(restAfter(failed, rested('virtualCluster'))).toMatchObject({ ms: 2_000 })
    expect(restAfter(failed, rested('virtualCluster'), made, rested('virtualCluster'))).toMatchObject({
      ms: 1_000,
    })
  })

  it('passes the wanted object to its effect', () => {
    const { started, snapshot } = walked({}, ...reached)
    const input = started.find(({ src }) => src === 'ensure the virtual cluster')?.input
    expect(input?.wanted).toBe(snapshot.context.wanted.virtualCluster)
    expect(input?.facts).toBe(snapshot.context.facts)
  })
})

describe('the reconciler of role bindings', () => {
  const materialized = [
    'resolved',
    'healthy',
    'distinct',
    'bindings',
    done('roleBindings', 'unwatched'),
  ] as const

  it('pauses after a success, so that many changes need one reconciliation', () => {
    const { region, started } = walked({}, ...materialized)
    expect(region('roleBindings')).toBe('pausing')
    expect(started.findLast(({ input }) => input.task === 'roleBindings')?.input).toEqual({
      task: 'roleBindings',
      ms: ROLE_BINDINGS_PAUSE_MS,
      announce: false,
    })
    expect(walked({}, ...materialized, rested('roleBindings')).region('roleBindings')).toBe('settled')
  })

  it('waits a moment for the first ones, which Global Management writes once it sees the registration', () => {
    const { region, started } = walked({}, ...reached, 'noBindings')
    expect(region('roleBindings')).toBe('gathering')
    expect(walked({}, ...reached, 'noBindings', 'bindings').region('roleBindings')).toBe('acting')
    expect(walked({}, ...reached, 'noBindings', rested('roleBindings')).region('roleBindings')).toBe('acting')
    expect(started.find(({ input }) => input.task === 'roleBindings')?.input).toEqual({
      task: 'roleBindings',
      ms: GATHER_MS,
      announce: false,
    })
  })

  it('leaves the moment when the control plane breaks, and then to the replica that leads', () => {
    expect(walked({}, ...reached, 'noBindings', 'unreachable').region('roleBindings')).toBe('settled')
    const following = walked({ leading: false }, ...reached, 'noBindings', rested('roleBindings'))
    expect(following.region('roleBindings')).toBe('standby')
  })

  it('takes rights away at once that an earlier process may have given', () => {
    const status: InstanceStatus = {
      phase: 'Ready',
      conditions: [
        {
          type: 'RoleBindingsMaterialized',
          status: 'True',
          reason: 'Materialized',
          message: '2 role bindings in effect inside',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    }
    expect(walked({ status }, ...reached, 'noBindings').region('roleBindings')).toBe('acting')
  })

  it('waits for nothing once they were materialized', () => {
    const { context } = walked({}, ...materialized, 'noBindings').snapshot
    expect(mayGather(context, 'roleBindings')).toBe(false)
  })

  it('takes rights away at once when the last binding goes', () =>
    expect(walked({}, ...materialized, rested('roleBindings'), 'noBindings').region('roleBindings')).toBe(
      'acting',
    ))

  it('does not pause on a replica that does not lead', () =>
    expect(walked({}, ...materialized, 'following').region('roleBindings')).toBe('standby'))

  it('keeps its pause when the instance becomes ready', () => {
    const { snapshot, region } = walked({}, ...materialized, 'synced', 'registered')
    expect(snapshot.context.phase).toBe('ready')
    expect(region('roleBindings')).toBe('pausing')
  })

  it.each<[string, Step[]]>([
    ['contact with the control plane was lost', ['contactLost', 'healthy']],
    ['the control plane was broken', ['unreachable', 'healthy']],
    ['the RBAC inside was changed', [{ type: 'roleBindings.rbacChanged' }]],
    ['the kubeconfig leads to another control plane', ['rotated', 'anotherHealthy', 'distinct']],
  ])('applies them again after %s', (_what, steps) => {
    const { region } = walked({}, ...materialized, rested('roleBindings'), ...steps)
    expect(region('roleBindings')).toBe('acting')
  })
})

describe('the status writer', () => {
  /** Steps after which the status that they lead to was written and seen. */
  const written = (...steps: readonly Step[]): Step[] => {
    const before = walked({}, ...steps).snapshot.context
    const wanted = before.wanted.status!
    const observed = { ...before.instance, status: JSON.parse(wanted) }
    return [
      ...steps,
      rested('status'),
      done('status', wanted),
      { type: 'instance.observed', instance: observed },
    ]
  }
  const pauseAfter = (...steps: readonly Step[]) => {
    const { region, started } = walked({}, ...written(...steps))
    return [region('status'), started.find(({ input }) => input.task === 'status')?.input.ms]
  }

  it.each<[string, readonly Step[], number]>([
    ['registering', reached, STATUS_PAUSE_COMING_UP_MS],
    [
      'virtualClusterSynced',
      ['resolved', 'healthy', 'distinct', 'syncing', 'unregistered'],
      STATUS_PAUSE_COMING_UP_MS,
    ],
    ['ready', whole, STATUS_PAUSE_MS],
    ['degraded', [...whole, 'unreachable'], STATUS_PAUSE_MS],
    ['deleting', [...whole, 'deletionAsked'], STATUS_PAUSE_MS],
  ])('pauses in %s for the configured time', (phase, steps, ms) => {
    expect(walked({}, ...steps).snapshot.context.phase).toBe(phase)
    expect(pauseAfter(...steps)).toEqual(['pausing', ms])
  })

  it('does not pause when the instance becomes ready, and pauses once that is written', () => {
    const syncing: Step[] = ['resolved', 'healthy', 'distinct', 'syncing', 'registered']
    expect(walked({}, ...written(...syncing), 'unreachable').region('status')).toBe('pausing')
    expect(walked({}, ...written(...syncing), 'synced').region('status')).toBe('acting')
    expect(walked({}, ...written(...whole), 'refused', 'registered').region('status')).toBe('pausing')
  })

  it('does not write on a replica that does not lead', () => {
    const status = { phase: 'Ready', conditions: [] } as const
    expect(walked({ status, leading: false }, ...whole).region('status')).toBe('standby')
  })

  it('does not write while the finalizer is being written to the same object', () => {
    const start = { finalizers: [] }
    expect(walked(start).region('status')).toBe('settled')
    expect(walked(start, fails('finalizer')).region('status')).toBe('acting')
    expect(walked({ ...start, spec: {} }).region('status')).toBe('acting')
    expect(instance(start).metadata.finalizers).toEqual([])
  })
})
