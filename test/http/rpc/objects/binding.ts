import type { Binding } from '../../../../karmada/objects/resource-binding.js'

/** A binding as Karmada writes it: scheduled to two clusters, of which one has reported. */
export const binding = (more: object = {}, status: object = {}): Binding =>
  ({
    apiVersion: 'work.karmada.io/v1alpha2',
    kind: 'ResourceBinding',
    metadata: { name: 'web-deployment', namespace: 'shop' },
    spec: {
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
      replicas: 3,
      clusters: [
        { name: 'b', replicas: 1 },
        { name: 'a', replicas: 2 },
      ],
      placement: {},
      ...more,
    },
    status: {
      aggregatedStatus: [
        {
          clusterName: 'a',
          applied: true,
          health: 'Healthy',
          status: { replicas: 2, readyReplicas: 2, availableReplicas: 2 },
        },
        { clusterName: 'b', applied: false, appliedMessage: 'namespaces "shop" not found' },
      ],
      ...status,
    },
  }) as unknown as Binding
