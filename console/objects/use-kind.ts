import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { typeOfResource } from '../kube/discovery.js'
import { KubeApi } from '../kube/kube-api.js'
import type { ObjectType } from '../kube/object.js'
import { customKind, isObjectKind, objectKinds } from './kinds.js'
import type { ObjectKind } from './object-kind.js'

/** The name in addresses of a type of a CustomResourceDefinition: `boats.v1.example.com`. */
export const nameOfType = ({ resource, version, group }: Omit<ObjectType, 'kind' | 'isNamespaced'>): string =>
  `${resource}.${version}.${group}`

/** The kind that an address names: one of `objectKinds`, or one of a CustomResourceDefinition, which is read from the instance. */
export function useKind(
  instance: string,
  name: string,
): { readonly kind: ObjectKind | undefined; readonly error: Error | null } {
  const known: ObjectKind | undefined = isObjectKind(name) ? objectKinds[name] : undefined
  const { data, error } = useQuery({
    queryKey: ['type', instance, name],
    queryFn: () => {
      const [resource = '', version = '', ...group] = name.split('.')
      return typeOfResource(new KubeApi(instance), `${group.join('.')}/${version}`, resource)
    },
    enabled: known === undefined,
    staleTime: 0,
  })
  const custom = useMemo(() => data && customKind(data), [data])
  return { kind: known ?? custom, error }
}
