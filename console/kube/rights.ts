import type { KubeApi } from './kube-api.js'
import type { ObjectType } from './object.js'

/** One rule of a SelfSubjectRulesReview. */
interface Rule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  /** Empty means all. */
  readonly resourceNames?: readonly string[]
}

/** The caller's rights in a namespace of an instance, and to cluster-scoped types. */
export class Rights {
  constructor(
    private readonly rules: readonly Rule[],
    /** The server's list is incomplete: an action that no rule allows may still be allowed. */
    private readonly isIncomplete: boolean,
  ) {}

  /**
   * Whether an action is allowed. Where the list is incomplete, every action is: the server decides when it is done.
   * @param resource with its subresource: `deployments/scale`
   * @param name of the object; without it, the right to all objects
   */
  may(verb: string, { group, resource }: Pick<ObjectType, 'group' | 'resource'>, name?: string): boolean {
    if (this.isIncomplete) return true
    return this.rules.some(
      ({ verbs, apiGroups = [], resources = [], resourceNames = [] }) =>
        has(verbs, verb) &&
        has(apiGroups, group) &&
        (has(resources, resource) || resources.includes(`*/${resource.split('/')[1]}`)) &&
        (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name))),
    )
  }
}

const has = (list: readonly string[], wanted: string): boolean => list.includes('*') || list.includes(wanted)

/** The rights before the server has answered: nothing is denied. */
export const UNKNOWN_RIGHTS = new Rights([], true)

/** Reads all rights of the caller in a namespace with one request. @throws the error of the request */
export async function readRights(api: KubeApi, namespace: string, signal: AbortSignal): Promise<Rights> {
  const { text } = await api.request('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
    body: {
      type: 'application/json',
      text: JSON.stringify({
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectRulesReview',
        spec: { namespace },
      }),
    },
    signal,
  })
  const { status } = JSON.parse(text) as {
    status?: { resourceRules?: readonly Rule[]; incomplete?: boolean }
  }
  return new Rights(status?.resourceRules ?? [], status?.incomplete ?? true)
}
