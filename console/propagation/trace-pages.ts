import type { ObjectReference } from '../../proto/gen/kairship/placement_pb.js'
import { groupVersionOf } from '../kube/object.js'

/** The kinds of policies, by their names in addresses. */
const policies: Readonly<Record<string, string>> = {
  PropagationPolicy: 'propagationpolicies',
  ClusterPropagationPolicy: 'clusterpropagationpolicies',
}

/** The kinds of objects that Karmada creates for a template. */
const made: Readonly<Record<string, string>> = {
  ResourceBinding: 'resourcebindings',
  ClusterResourceBinding: 'clusterresourcebindings',
  Work: 'works',
}

/** An address of the console, as `Link` takes it. */
export interface Page {
  readonly to: string
  readonly params: Readonly<Record<string, string>>
}

/** The page of a step's object; undefined for the template, for objects of members, and for a step without an object. */
export function pageOf(
  instance: string,
  { apiVersion = '', kind = '', namespace = '', name = '' }: Partial<ObjectReference> = {},
): Page | undefined {
  if (name === '') return undefined
  const { group, version } = groupVersionOf(apiVersion)
  // The address of a cluster-scoped policy has this instead of a namespace.
  const within = namespace || '-'
  const policy = policies[kind]
  if (group === 'policy.karmada.io' && policy !== undefined)
    return {
      to: '/instances/$name/policies/$kind/$namespace/$policy',
      params: { name: instance, kind: policy, namespace: within, policy: name },
    }
  const resource = made[kind]
  if (group === 'work.karmada.io' && resource !== undefined)
    return {
      to: '/instances/$name/objects/$kind/$namespace/$object',
      params: { name: instance, kind: `${resource}.${version}.${group}`, namespace: within, object: name },
    }
  return undefined
}
