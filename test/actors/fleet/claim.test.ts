import { describe, expect, it } from 'vitest'
import { claimOf } from '../../../actors/fleet/claim.js'
import type { Facts } from '../../../machines/instance/facts.js'
import type { Instance, InstanceStatus } from '../../../manifests/instance.js'
import type { Condition } from '../../../manifests/kube.js'

const instance = (parts: { status?: object; spec?: object; metadata?: object } = {}): Instance =>
  ({
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'Instance',
    spec: { kubeconfigSecretRef: { namespace: 'ns', name: 'eu' }, ...parts.spec },
    metadata: { name: 'eu', ...parts.metadata },
    ...(parts.status && { status: parts.status as InstanceStatus }),
  }) as Instance
const condition = (type: string, status: Condition['status']) => ({ conditions: [{ type, status }] })
const facts = (some: object) => some as Facts

describe('what an instance claims', () => {
  it('is what its actor has observed, and what an earlier process recorded until then', () => {
    const status = { endpoint: 'https://before', controlPlaneID: 'before' }
    expect(claimOf(instance({ status }), undefined, false)).toMatchObject(status)
    const away = { credentials: { ok: false }, controlPlane: { ok: false } }
    expect(claimOf(instance({ status }), facts(away), false)).toMatchObject(status)
    const now = { credentials: { ok: true, endpoint: 'https://now' }, controlPlane: { ok: true, id: 'now' } }
    expect(claimOf(instance({ status }), facts(now), false)).toMatchObject({
      ...{ endpoint: 'https://now', controlPlaneID: 'now' },
    })
  })

  it('is not settled while nothing of it is known', () => {
    expect(claimOf(instance(), undefined, false).settled).toBe(false)
    const reached = facts({ credentials: { ok: true, endpoint: 'https://eu' } })
    expect(claimOf(instance(), reached, false).settled).toBe(false)
  })

  it.each<[string, Instance, object | undefined, boolean]>([
    ['its control plane was known before', instance({ status: { controlPlaneID: 'x' } }), undefined, false],
    ['its control plane could not be reached', instance(), { controlPlane: { ok: false } }, false],
    ['its Secret cannot be used', instance(), { credentials: { ok: false } }, false],
    ['Kairship installs it', instance({ spec: { install: {} } }), undefined, false],
    [
      'it is being deleted',
      instance({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
      undefined,
      false,
    ],
    ['its actor is down', instance(), undefined, true],
    [
      'it was seen to be healthy',
      instance({ status: condition('ControlPlaneHealthy', 'True') }),
      undefined,
      false,
    ],
    [
      'it was seen to be ill',
      instance({ status: condition('ControlPlaneHealthy', 'False') }),
      undefined,
      false,
    ],
    [
      'its Secret was seen to be of no use',
      instance({ status: condition('CredentialsResolved', 'False') }),
      undefined,
      false,
    ],
  ])('is settled when %s', (_, one, observed, crashed) => {
    expect(claimOf(one, observed && facts(observed), crashed).settled).toBe(true)
  })

  it.each([
    ['ControlPlaneHealthy', 'Unknown'],
    ['CredentialsResolved', 'True'],
    ['CredentialsResolved', 'Unknown'],
    ['Ready', 'False'],
  ] as const)('is not settled by the condition %s that is %s', (type, status) => {
    expect(claimOf(instance({ status: condition(type, status) }), undefined, false).settled).toBe(false)
  })
})
