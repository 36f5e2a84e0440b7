import type { ObjectReference } from '../../proto/gen/kairship/placement_pb.js'
import { groupVersionOf } from '../kube/object.js'

/** Policies, by their names in addresses. */
const policies: Readonly<Record<string, string>> = {
  PropagationPolicy: 'propagationpolicies',
  ClusterPropagationPolicy: 'clusterpropagationpolicies',
}

/** Objects that Karmada makes of a template on its way. */
const made: Readonly<Record<string, string>> = {
  ResourceBinding: 'resourcebindings',
  ClusterResourceBinding: 'clusterresourcebindings',
  Work: 'works',
}

/** An address of the console, as links take it. */
export interface Page {
  readonly to: string
  readonly params: Readonly<Record<string, string>>
}

/** The page of an object that a step of a trace is about; undefined for the template, for objects of members, and where the step names none. */
export function pageOf(
  instance: string,
  { apiVersion = '', kind = '', namespace = '', name = '' }: Partial<ObjectReference> = {},
): Page | undefined {
  if (name === '') return undefined
  const { group, version } = groupVersionOf(apiVersion)
  // The screens have this in the place of a namespace.
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
