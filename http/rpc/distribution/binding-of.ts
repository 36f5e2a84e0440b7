import { bindingName } from '../../../karmada/names.js'
import type { Binding } from '../../../karmada/objects/resource-binding.js'
import type { KubeObject } from '../../../manifests/kube.js'

/** `namespace/name`, by which the objects of one type differ. */
export const keyOfObject = ({ metadata: { namespace = '', name } }: Pick<KubeObject, 'metadata'>): string =>
  `${namespace}/${name}`

/** The binding of a template, among bindings by `keyOfObject`. */
export function bindingOf(object: KubeObject, bindings: ReadonlyMap<string, Binding>): Binding | undefined {
  const { namespace = '', name } = object.metadata
  const binding = bindings.get(`${namespace}/${bindingName(object.kind, name)}`)
  return binding && isOf(binding, object) ? binding : undefined
}

/** Kinds of one name in two groups share the name of their bindings, and only one of them has the binding. */
export const isOf = (
  { spec }: Binding,
  { apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>,
): boolean => spec.resource?.kind === kind && groupOf(spec.resource.apiVersion) === groupOf(apiVersion)

const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''
