import { describe, expect, it } from 'vitest'
import { stamped } from '../../../machines/instance/conditions.js'
import type { OutsideObject } from '../../../machines/instance/facts.js'
import { done, fails, reached, rested, type Step, walked, whole } from './walked.js'

const status = (type: string, value: 'True' | 'False' | 'Unknown', reason: string, message: string) => ({
  phase: 'Ready' as const,
  conditions: [{ type, status: value, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' }],
})

describe('a duplicate', () => {
  it.each([
    ['endpoint', 'DuplicateEndpoint', 'the same endpoint'],
    ['control plane', 'DuplicateControlPlane', 'the same control plane (same kube-system uid)'],
  ] as const)(
    'by its %s names the older Instance in its condition, whatever else is reported',
    (shares, reason, what) => {
      // The older one may have adopted a plain cluster, of which it manages nothing.
      const first = { name: 'eldest', shares }
      expect(walked({}, 'resolved', { type: 'duplicate.observed', first }).condition('Accepted')).toEqual({
        ...{ type: 'Accepted', status: 'False', reason },
        message: `the kubeconfig of instance eldest, which is older, leads to ${what}; delete one of the two`,
      })
    },
  )
})

describe('the condition of an external object', () => {
  const virtualCluster = (object: Partial<OutsideObject>): Step => ({
    type: 'virtualCluster.observed',
    virtualCluster: { revision: 'vc-1', deleting: false, ...object },
  })
  const well = { holds: true, reason: 'Synced', message: 'all types are synced' }
  it.each<[string, Step[], string]>([
    [
      'says that it was not observed',
      ['resolved'],
      'Unknown NotYetObserved: the PediaCluster was not observed yet',
    ],
    [
      'says that it does not exist',
      ['noVirtualCluster'],
      'False NotCreated: the PediaCluster does not exist yet',
    ],
    [
      'says that its owner has not reported',
      [virtualCluster({})],
      'False NotYetSynced: Container Management has not reported yet',
    ],
    [
      'says that it is being deleted, however well it is',
      [virtualCluster({ deleting: true, verdict: well })],
      'False Deleting: the PediaCluster is being deleted',
    ],
    ['says what its owner says', ['syncing'], 'False Syncing: reading deployments'],
    [
      'says why it cannot be seen, before why it cannot be made',
      [...reached, fails('virtualCluster'), 'hostLost'],
      'Unknown Unreachable: virtual cluster: Unreachable',
    ],
    [
      'says why it cannot be made',
      [...reached, fails('virtualCluster')],
      'False Unavailable: virtualCluster: Unavailable',
    ],
    [
      'says that what it claims is not confirmed',
      [...reached, 'synced', 'stalled'],
      'False Stalled: virtual cluster: Stalled',
    ],
    [
      'says what its owner says where that claims nothing',
      [...reached, 'syncing', 'stalled'],
      'False Syncing: reading deployments',
    ],
    [
      'holds where what it claims is confirmed',
      [...reached, 'synced', 'moving'],
      'True Synced: all types are synced',
    ],
    [
      'says that what it claims cannot be confirmed',
      [...reached, 'synced', { type: 'index.measured', index: { ok: true, unmeasured: 'no canary' } }],
      'True Synced: all types are synced; how far behind is not measured: no canary',
    ],
  ])('%s', (_claim, steps, text) => {
    const { status, reason, message } = walked({}, ...steps).condition('VirtualClusterSynced') ?? {}
    expect(`${status} ${reason}: ${message}`).toBe(text)
  })

  it('is unknown for a registration that Global Management has not answered', () =>
    expect(walked({}, ...whole).condition('Registered')).toMatchObject({
      status: 'True',
      reason: 'Published',
    }))

  it('includes the installation only for an installed instance', () => {
    expect(walked({}).condition('Installed')).toBeUndefined()
    expect(walked({ spec: { install: {} } }, 'notInstalled').condition('Installed')).toMatchObject({
      reason: 'NotCreated',
    })
  })

  it('of impersonation is there once a caller has come, and says why callers are refused', () => {
    expect(walked({}, ...whole).condition('CallersImpersonated')).toBeUndefined()
    expect(walked({}, ...whole, 'impersonated').condition('CallersImpersonated')).toMatchObject({
      ...{ status: 'True', reason: 'Allowed' },
    })
    const { snapshot, condition } = walked({}, ...whole, 'notImpersonated')
    expect(condition('CallersImpersonated')).toMatchObject({
      ...{ status: 'False', reason: 'ImpersonationRefused' },
    })
    // Watches, statistics and the RBAC inside need no caller's name.
    expect(snapshot.context.phase).toBe('ready')
    expect(condition('Ready')).toMatchObject({ status: 'True' })
  })

  it('of impersonation stays as it was written until a caller comes again', () => {
    const before = { status: status('CallersImpersonated', 'False', 'ImpersonationRefused', 'as before') }
    expect(walked(before).condition('CallersImpersonated')).toMatchObject({ message: 'as before' })
    expect(walked(before, ...whole, 'impersonated').condition('CallersImpersonated')).toMatchObject({
      status: 'True',
    })
  })

  it('of an installation does not keep an answering control plane from being ready', () => {
    const { snapshot, condition } = walked({ spec: { install: {} } }, 'notInstalled', ...whole)
    expect(condition('Installed')).toMatchObject({ status: 'False' })
    expect(snapshot.context.phase).toBe('ready')
    expect(condition('Ready')).toMatchObject({ status: 'True', reason: 'Ready' })
  })
})

describe('a ready instance', () => {
  const first = done('virtualCluster', 'vc-1')
  const again: Step = {
    type: 'virtualCluster.observed',
    virtualCluster: {
      revision: 'vc-2',
      deleting: false,
      verdict: { holds: true, reason: 'Synced', message: '' },
    },
  }
  const failed = fails('virtualCluster')
  const phaseAfter = (failures: number): unknown =>
    walked(
      {},
      ...[...whole, first, again],
      ...Array.from({ length: failures }, () => [failed, rested('virtualCluster')]).flat(),
    ).snapshot.context.phase

  it('stays ready for two failed writes of a healthy object, and not for the third', () =>
    expect([phaseAfter(1), phaseAfter(2), phaseAfter(3)]).toEqual(['ready', 'ready', 'degraded']))

  it('is degraded at once when the write of a missing object fails', () =>
    expect(
      walked({}, ...whole, first, 'noVirtualCluster', failed).condition('VirtualClusterSynced'),
    ).toMatchObject({
      reason: 'Unavailable',
    }))
})

it('an instance whose finalizer cannot be written reports the reason', () => {
  const waiting = walked({ finalizers: [] }).condition('Accepted')
  expect(waiting).toMatchObject({ status: 'Unknown', reason: 'AwaitingFinalizer' })
  expect(walked({ finalizers: [] }, fails('finalizer', 'Forbidden')).condition('Accepted')).toMatchObject({
    status: 'False',
    reason: 'Forbidden',
  })
})

describe('role bindings', () => {
  const name = 'RoleBindingsMaterialized'
  const materialized = (count: number) =>
    walked(
      {},
      ...(['resolved', 'healthy', 'distinct'] as const),
      { type: 'roleBindings.observed', roleBindings: { revision: 'rb', count } },
      done('roleBindings', 'unwatched'),
    ).condition(name)

  it('are counted', () => {
    expect(materialized(1)?.message).toBe('1 role binding in effect inside')
    expect(materialized(2)?.message).toBe('2 role bindings in effect inside')
  })

  it('report why they are not in effect', () => {
    const failed = walked(
      {},
      'resolved',
      'healthy',
      'distinct',
      'bindings',
      fails('roleBindings', 'Forbidden'),
    )
    expect(failed.condition(name)).toMatchObject({ status: 'False', reason: 'Forbidden' })
    expect(failed.condition('Ready')?.message).not.toContain('roleBindings')
  })

  it('keep the status of an earlier process until this one has checked, even while they are being removed', () => {
    const before = { status: status(name, 'True', 'Materialized', '3 role bindings in effect inside') }
    const expected = { status: 'True', message: '3 role bindings in effect inside' }
    expect(walked(before).condition(name)).toMatchObject(expected)
    expect(walked(before, 'resolved', 'deletionAsked').condition(name)?.reason).toBe('Deleting')
    const deleted = { ...before, deletionTimestamp: '2026-01-01T00:00:00Z' }
    expect(walked(deleted).condition(name)).toMatchObject(expected)
    expect(walked({}).condition(name)).toMatchObject({ status: 'Unknown', reason: 'NotYetObserved' })
  })

  it('report a failed removal', () => {
    const deletion: Step[] = [...whole, 'deletionAsked', done('unpublishing', 'gone')]
    const failed = walked({}, ...deletion, fails('removingRoleBindings', 'Unreachable'))
    expect(failed.condition(name)).toMatchObject({ status: 'False', reason: 'RemovalAbandoned' })
  })

  it('and statistics do not keep an instance from being ready', () => {
    const broken = { reason: 'Unavailable', stage: 'statistics', message: 'no' } as const
    const { condition } = walked({}, ...whole, {
      type: 'statistics.observed',
      statistics: { ok: false, failure: broken },
    })
    expect(condition('StatisticsCurrent')).toMatchObject({ status: 'False', reason: 'Unavailable' })
    expect(condition('Ready')).toMatchObject({ status: 'True' })
    const before = { status: status('StatisticsCurrent', 'True', 'Current', 'as before') }
    expect(walked(before).condition('StatisticsCurrent')).toMatchObject({
      status: 'True',
      message: 'as before',
    })
  })
})

describe('Ready of an instance that is being deleted', () => {
  const deletion: Step[] = [...whole, 'deletionAsked']
  it('reports the cleanup, and the teardown step that failed last', () => {
    const message = (...steps: Step[]) => walked({}, ...deletion, ...steps).condition('Ready')?.message
    expect(message()).toBe('cleaning up')
    const stuck: Step[] = [fails('unpublishing', 'Forbidden')]
    expect(message(...stuck)).toBe('withdrawing the registration: unpublishing: Forbidden')
    // Given up after one failure, because no role binding was ever materialized; then the next step is stuck.
    const further: Step[] = [done('unpublishing', 'gone'), fails('removingRoleBindings', 'Unreachable')]
    expect(message(...further, fails('deletingVirtualCluster', 'Forbidden'))).toBe(
      'deleting the virtual cluster: deletingVirtualCluster: Forbidden',
    )
  })
})

describe('a condition', () => {
  const fact = { type: 'Ready', status: 'True', reason: 'Ready', message: 'new' } as const
  const before = [{ ...fact, message: 'old', lastTransitionTime: 'before' }]
  it('keeps lastTransitionTime while its status stays the same', () => {
    const [same] = stamped([fact], { before, now: 'now', generation: 7 })
    expect(same).toEqual({ ...fact, lastTransitionTime: 'before', observedGeneration: 7 })
    const [other] = stamped([{ ...fact, status: 'False' }], { before, now: 'now', generation: undefined })
    expect(other).toEqual({ ...fact, status: 'False', lastTransitionTime: 'now' })
    const [first] = stamped([fact], { before: undefined, now: 'now', generation: undefined })
    expect(first?.lastTransitionTime).toBe('now')
  })
})
