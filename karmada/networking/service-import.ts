import type { KubeObject } from '../../manifests/kube.js'
import { derivedName } from './slice-works.js'

/** multicluster.x-k8s.io/v1alpha1, the API of SIG Multicluster. */
export const SERVICE_IMPORTS = {
  group: 'multicluster.x-k8s.io',
  version: 'v1alpha1',
  resource: 'serviceimports',
} as const

/** multicluster.x-k8s.io/v1alpha1 ServiceImport. */
export interface ServiceImport extends KubeObject {
  readonly spec?: {
    readonly type: string
    readonly ips?: readonly string[]
    readonly ports: readonly {
      readonly name?: string
      readonly protocol?: string
      readonly port: number
      readonly appProtocol?: string
    }[]
  }
}

/** core/v1 Service, as far as a ServiceImport makes it. */
export interface DerivedService extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>
  readonly status?: object
}

/** The Service through which members reach what a ServiceImport imports; undefined for one of the type Headless, and one that goes. */
export function derivedService(
  { spec, metadata }: ServiceImport,
  present?: DerivedService,
): DerivedService | undefined {
  if (metadata.deletionTimestamp !== undefined || spec?.type !== 'ClusterSetIP') return undefined
  const { clusterIP } = present?.spec ?? {}
  const { resourceVersion } = present?.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      namespace: metadata.namespace ?? '',
      name: derivedName(metadata.name),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    spec: {
      type: 'ClusterIP',
      ports: spec.ports.map(({ name, protocol, port, appProtocol }) => ({
        ...(name !== undefined && { name }),
        ...(protocol !== undefined && { protocol }),
        port,
        ...(appProtocol !== undefined && { appProtocol }),
      })),
      ...(clusterIP !== undefined && { clusterIP }),
    },
    status: { loadBalancer: spec.ips?.length ? { ingress: spec.ips.map(ip => ({ ip })) } : {} },
  }
}
