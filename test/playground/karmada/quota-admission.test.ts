import { expect, it } from 'vitest'
import type { FederatedResourceQuota } from '../../../karmada/objects/federated-resource-quota.js'
import type { KubeObject } from '../../../manifests/kube.js'
import type { Observed } from '../../../playground/karmada/propagation/observed.js'
import { QuotaAdmission } from '../../../playground/karmada/quota/quota-admission.js'

const quota = {
  metadata: { namespace: 'shop', name: 'q' },
  spec: { overall: { cpu: '1' } },
} as unknown as FederatedResourceQuota
const binding = (apiVersion: string, namespace: string): KubeObject =>
  ({
    apiVersion,
    kind: 'ResourceBinding',
    metadata: { namespace, name: 'web-deployment' },
    spec: { clusters: [{ name: 'm1', replicas: 2 }], replicaRequirements: { resourceRequest: { cpu: '1' } } },
  }) as KubeObject

it.each([
  ['a binding beyond the quota of its namespace', true, 'work.karmada.io/v1alpha2', 'shop'],
  ['a binding of another namespace', false, 'work.karmada.io/v1alpha2', 'other'],
  ['an object of another group that is called so', false, 'example.io/v1', 'shop'],
] as const)('%s is refused: %s', (_, isRefused, apiVersion, namespace) => {
  const admission = new QuotaAdmission()
  expect(admission.refusal(binding(apiVersion, namespace), undefined)).toBeUndefined()
  admission.observe({ quotas: { values: () => [quota] }, bindings: [] } as unknown as Observed)
  expect(admission.refusal(binding(apiVersion, namespace), undefined) !== undefined).toBe(isRefused)
})
