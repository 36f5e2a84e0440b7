import { describe, expect, it } from 'vitest'
import type { InstanceEvent } from '../../../machines/instance/events.js'
import type { InstanceSpec } from '../../../manifests/instance.js'
import { instance } from './facts.js'
import { type Step, walked, whole } from './walked.js'

const wanted = (start: Parameters<typeof walked>[0], ...steps: Step[]) =>
  walked(start, ...steps).snapshot.context.wanted
const wants = (...given: Parameters<typeof wanted>) =>
  Object.keys(wanted(...given)).filter(name => name !== 'status')
const spec: InstanceSpec = { kubeconfigSecretRef: { namespace: 'fleet', name: 'alpha' } }
const respecified = (change: InstanceSpec): InstanceEvent => ({
  type: 'instance.observed',
  instance: instance({ spec: change }),
})
const materialized: Parameters<typeof walked>[0] = {
  status: {
    conditions: [
      {
        ...{ type: 'RoleBindingsMaterialized', status: 'True' as const, reason: 'Materialized', message: '' },
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  },
}

describe('the wanted objects of an instance', () => {
  it.each<[string, Parameters<typeof walked>[0], readonly Step[], string[]]>([
    [
      'everything when all is known',
      {},
      [...whole, 'bindings'],
      ['finalizer', 'roleBindings', 'virtualCluster', 'registration'],
    ],
    ['only its finalizer before the CR carries it', { finalizers: [] }, whole, ['finalizer']],
    ['nothing with a spec that cannot be used', { spec: {} }, whole, []],
    ['nothing but its teardown once deletion is requested', {}, [...whole, 'bindings', 'deletionAsked'], []],
    [
      'an installation once those were seen',
      { spec: { install: {} } },
      ['notInstalled'],
      ['finalizer', 'installation'],
    ],
    ['no installation before those were seen', { spec: { install: {} } }, [], ['finalizer']],
    ['no installation where it adopts', {}, ['notInstalled'], ['finalizer']],
    [
      'nothing outside before its control plane was compared',
      {},
      ['resolved', 'healthy', 'synced', 'registered'],
      ['finalizer'],
    ],
    ['nothing outside while that does not answer', {}, [...whole, 'unreachable'], ['finalizer']],
    ['nothing outside while its Secret cannot be used', {}, [...whole, 'secretMissing'], ['finalizer']],
    ['nothing outside before the new kubeconfig has led there', {}, [...whole, 'rotated'], ['finalizer']],
    ['no role bindings before those were seen', {}, whole, ['finalizer', 'virtualCluster', 'registration']],
    ['no role bindings in a plain cluster', {}, [...whole, 'bindings', 'plainCluster'], ['finalizer']],
    [
      'its role bindings where a Karmada serves its aggregated API no longer',
      materialized,
      [...whole, 'bindings', 'plainCluster'],
      ['finalizer', 'roleBindings'],
    ],
    [
      'no PediaCluster before those were seen',
      {},
      ['resolved', 'healthy', 'distinct', 'registered'],
      ['finalizer'],
    ],
    [
      'no registration before the PediaCluster is there',
      {},
      ['resolved', 'healthy', 'distinct', 'noVirtualCluster', 'unregistered'],
      ['finalizer', 'virtualCluster'],
    ],
    [
      'no registration before those were seen',
      {},
      ['resolved', 'healthy', 'distinct', 'synced'],
      ['finalizer', 'virtualCluster'],
    ],
  ])('%s', (_what, start, steps, names) => expect(wants(start, ...steps)).toEqual(names))

  const other = 'another'
  it.each<[string, 'virtualCluster' | 'registration' | 'roleBindings', Step[]]>([
    ['another PediaCluster for another kubeconfig', 'virtualCluster', ['rotated', 'healthyAfterRotation']],
    [
      'another PediaCluster for another control plane at the same place',
      'virtualCluster',
      [
        {
          type: 'controlPlane.probed',
          controlPlane: { ok: true, id: 'cp-2', kubernetesVersion: 'v1.36.2' },
          aggregatedApi: { ok: true },
          fingerprint: 'one',
        },
        'distinct',
      ],
    ],
    [
      'another PediaCluster for other types',
      'virtualCluster',
      [respecified({ ...spec, index: { resources: [] } })],
    ],
    ['another registration for another alias', 'registration', [respecified({ ...spec, alias: other })]],
    [
      'another registration for another endpoint',
      'registration',
      [
        {
          type: 'credentials.observed',
          credentials: { ok: true, endpoint: 'https://b', fingerprint: 'one' },
        },
      ],
    ],
    [
      'other RBAC for other role bindings',
      'roleBindings',
      [{ type: 'roleBindings.observed', roleBindings: { revision: 'rb-2', count: 2 } }],
    ],
    ['its RBAC in another control plane', 'roleBindings', ['rotated', 'anotherHealthy', 'distinct']],
  ])('%s', (_what, reconciler, steps) => {
    const [before, after] = [wanted({}, ...whole, 'bindings'), wanted({}, ...whole, 'bindings', ...steps)]
    expect(before[reconciler]).toBeDefined()
    expect(after[reconciler]).toBeDefined()
    expect(after[reconciler]).not.toBe(before[reconciler])
  })

  it('change their installation with its spec', () => {
    const before = wanted({ spec: { install: {} } }, 'notInstalled').installation
    const changed = respecified({
      install: { karmadaVersion: 'v1.18.2' } as InstanceSpec['install'] & object,
    })
    const after = wanted({ spec: { install: {} } }, 'notInstalled', changed).installation
    expect(before).toBeDefined()
    expect(after).not.toBe(before)
  })
})

describe('the status', () => {
  const full = {
    phase: 'Ready',
    observedGeneration: 3,
    endpoint: 'https://before:5443',
    controlPlaneID: 'cp-1',
    kubernetesVersion: 'v1.35.0',
    karmadaVersion: 'v1.17.0',
  } as const
  const statusAfter = (start: Parameters<typeof walked>[0], ...steps: Step[]) =>
    JSON.parse(wanted(start, ...steps).status ?? 'null')

  it('keeps the values of an earlier process for facts that are unknown now', () => {
    const summary = { clusterSummary: { totalNum: 2, readyNum: 1 } }
    const before = { ...full, summary } as never
    expect(statusAfter({ status: before }, 'secretMissing', 'synced', 'registered')).toMatchObject({
      ...full,
      summary,
      phase: 'Degraded',
    })
    expect(statusAfter({ status: before }, 'resolved', 'unreachable', 'synced', 'registered')).toMatchObject({
      ...full,
      endpoint: 'https://alpha:5443',
      phase: 'Degraded',
    })
  })

  it('has the values of facts that are known now', () => {
    expect(statusAfter({ status: full, generation: 4 }, ...whole)).toMatchObject({
      observedGeneration: 4,
      endpoint: 'https://alpha:5443',
      controlPlaneID: 'cp-1',
      kubernetesVersion: 'v1.36.2',
      karmadaVersion: 'v1.17.0',
      phase: 'Ready',
    })
  })

  it('has the Karmada version that was installed, unless the control plane reports its own', () => {
    const installed: Step = {
      type: 'installation.observed',
      installation: {
        revision: 'k-1',
        deleting: false,
        version: 'v1.18.2',
        verdict: { holds: true, reason: 'Running', message: '' },
      },
    }
    const start = { spec: { install: {} } }
    expect(statusAfter(start, ...whole, installed).karmadaVersion).toBe('v1.18.2')
    const noted: Step = {
      type: 'controlPlane.probed',
      controlPlane: { ok: true, id: 'cp-1', kubernetesVersion: 'v1.36.2', karmadaVersion: 'v1.18.3' },
      aggregatedApi: { ok: true },
      fingerprint: 'one',
    }
    expect(statusAfter(start, ...whole, installed, noted).karmadaVersion).toBe('v1.18.3')
  })

  it.each<[string, Parameters<typeof walked>[0], readonly Step[], boolean]>([
    ['is written for the first time before anything is known', {}, [], true],
    [
      'is not overwritten before all is assessed',
      { status: full },
      ['resolved', 'healthy', 'distinct'],
      false,
    ],
    ['is overwritten when all is assessed', { status: full }, whole, true],
    ['is not written before the CR carries our finalizer', { finalizers: [] }, whole, false],
    ['is written without one where the spec cannot be used', { finalizers: [], spec: {} }, [], true],
    [
      'is written while the CR is deleted, with or without one',
      { finalizers: ['other'], deletionTimestamp: '2026-01-01T00:00:00Z' },
      [],
      true,
    ],
  ])('%s', (_claim, start, steps, is) => expect(wanted(start, ...steps).status !== undefined).toBe(is))
})
