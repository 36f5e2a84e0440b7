import type { Instance } from './instance.js'
import type { Condition, KubeObject, SecretReference } from './kube.js'
import { labelsOf } from './names.js'
import { type Verdict, verdictOf } from './verdict.js'

/** `karmadas.operator.karmada.io/v1alpha1`, namespaced: one control plane that karmada-operator brings up. */
export const KARMADAS = { group: 'operator.karmada.io', version: 'v1alpha1', resource: 'karmadas' } as const

/** What Kairship writes and reads of karmada-operator's object. */
export interface Karmada extends KubeObject {
  readonly apiVersion: 'operator.karmada.io/v1alpha1'
  readonly kind: 'Karmada'
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: {
    readonly conditions?: readonly Condition[]
    readonly secretRef?: { readonly namespace?: string; readonly name: string }
    readonly karmadaVersion?: string
  }
}

/** Left on a Karmada, this keeps the operator from deleting what it installed; Kairship always wants it deleted. */
const DISABLE_CASCADING_DELETION = 'operator.karmada.io/disable-cascading-deletion'

/** The namespace of an installed instance's Karmada object: as the spec says, or `karmada-<instance>`. */
export const installationNamespace = ({ metadata, spec }: Instance): string =>
  spec.install?.namespace ?? `karmada-${metadata.name}`

/** The Karmada object of an instance bears the instance's name. */
export function renderKarmada(instance: Instance): Karmada {
  const { name } = instance.metadata
  const { hostCluster, karmadaSpec = {} } = instance.spec.install ?? {}
  const own = karmadaSpec.hostCluster as Record<string, unknown> | undefined
  const { namespace, name: secret } = hostCluster?.secretRef ?? {}
  return {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: {
      name,
      namespace: installationNamespace(instance),
      labels: { ...labelsOf(name), [DISABLE_CASCADING_DELETION]: 'false' },
    },
    spec: {
      ...karmadaSpec,
      ...(hostCluster && { hostCluster: { ...own, secretRef: { namespace, name: secret } } }),
    },
  }
}

/**
 * Where karmada-operator leaves the admin kubeconfig: where its status says, else by its naming rule (util/naming.go:
 * `-karmada` is put in unless the name already contains `karmada`); key `karmada.config`.
 */
export function kubeconfigSecret(instance: Instance, karmada?: Pick<Karmada, 'status'>): SecretReference {
  const { name } = instance.metadata
  const namespace = installationNamespace(instance)
  const byRule = `${name.includes('karmada') ? name : `${name}-karmada`}-admin-config`
  const { secretRef } = karmada?.status ?? {}
  return {
    namespace: secretRef?.namespace || namespace,
    name: secretRef?.name || byRule,
    key: 'karmada.config',
  }
}

/** What karmada-operator says of the installation: `Ready` is its only condition. */
export const installVerdict = ({ status }: Karmada): Verdict | undefined =>
  verdictOf(status?.conditions, 'Ready')

/** Karmada's version as its object shows it: reported, or the desired image tag of the controller manager. */
export function installedVersion({ spec, status }: Karmada): string | undefined {
  if (status?.karmadaVersion) return status.karmadaVersion
  const components = spec?.components as Record<string, { imageTag?: unknown }> | undefined
  const tag = components?.karmadaControllerManager?.imageTag
  return typeof tag === 'string' ? tag : undefined
}
