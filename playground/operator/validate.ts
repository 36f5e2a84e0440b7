import type { KarmadaObject } from './karmada-resource.js'
import { etcdCertSecretName } from './names.js'

/** What karmada-operator refuses about a Karmada object after the schema has let it through; empty when nothing. */
export function validateKarmada({ metadata, spec = {} }: KarmadaObject): readonly string[] {
  const { crdTarball, components, hostCluster } = spec
  return [
    ...urlErrors(crdTarball?.httpSource?.url, 'spec.crdTarball.httpSource.url', 'invalid CRDs remote URL'),
    ...urlErrors(
      crdTarball?.httpSource?.proxy?.proxyURL,
      'spec.crdTarball.httpSource.proxy.proxyURL',
      'invalid CRDs proxy URL',
    ),
    ...serviceTypeErrors(
      components?.karmadaAPIServer?.serviceType,
      hostCluster?.secretRef?.name !== undefined,
    ),
    ...etcdErrors(metadata.name, components?.etcd),
  ]
}

const invalid = (field: string, value: unknown, detail: string): string =>
  `${field}: Invalid value: ${JSON.stringify(value)}: ${detail}`

function urlErrors(url: string | undefined, field: string, detail: string): string[] {
  return url === undefined || URL.canParse(url) ? [] : [invalid(field, url, detail)]
}

function serviceTypeErrors(serviceType: string | undefined, isRemote: boolean): string[] {
  if (!isRemote || (serviceType !== undefined && serviceType !== 'ClusterIP')) return []
  return [
    invalid(
      'spec.components.karmadaAPIServer.serviceType',
      serviceType ?? 'ClusterIP',
      'if karmada is installed in a remote cluster, the service type of karmada-apiserver must be either NodePort or LoadBalancer',
    ),
  ]
}

type Etcd = NonNullable<NonNullable<KarmadaObject['spec']>['components']>['etcd']

function etcdErrors(karmada: string, etcd: Etcd): string[] {
  if (etcd === undefined) return []
  if (!etcd.local && !etcd.external)
    return [invalid('spec.components.etcd', etcd, 'unexpected empty etcd configuration')]
  const expected = etcdCertSecretName(karmada)
  const name = etcd.external?.secretRef.name
  if (!etcd.external || name === expected) return []
  const field = 'spec.components.etcd.external.secretRef.name'
  return [invalid(field, name ?? '', `secret name for external etcd client must be ${expected}`)]
}
