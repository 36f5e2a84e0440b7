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

/** What the caller may do in a namespace of an instance, and with types that have none. */
export class Rights {
  constructor(
    private readonly rules: readonly Rule[],
    /** The server did not say all: what is not among the rules may still be allowed. */
    private readonly isIncomplete: boolean,
  ) {}

  /**
   * Whether something is allowed. Where the server did not say all, it is not denied here: the server decides when it is done.
   * @param resource with its subresource: `deployments/scale`
   * @param name of the object; without it, the right is wanted for all
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

/** What is known before the server has answered: nothing is denied. */
export const UNKNOWN_RIGHTS = new Rights([], true)

/** Asks an instance once for all that the caller may do in a namespace. @throws what the request throws */
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
