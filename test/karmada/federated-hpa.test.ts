import { describe, expect, it } from 'vitest'
import { type FederatedHpa, limited } from '../../karmada/autoscaling/federated-hpa.js'

const hpa = (maxReplicas: number, minReplicas?: number): FederatedHpa => ({
  apiVersion: 'autoscaling.karmada.io/v1alpha1',
  kind: 'FederatedHPA',
  metadata: { namespace: 'default', name: 'h' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    maxReplicas,
    ...(minReplicas !== undefined && { minReplicas }),
  },
})

describe('the limits of a FederatedHPA', () => {
  it.each([
    ['above the maximum', 3, hpa(1), 1],
    ['below the minimum', 1, hpa(9, 2), 2],
    ['within them', 4, hpa(9, 2), undefined],
    ['no replicas, which turn it off', 0, hpa(9, 2), undefined],
  ])('%s: %i replicas', (_, replicas, one, wanted) => {
    expect(limited(one, replicas)?.replicas).toBe(wanted)
  })
})
