import { useQuery } from '@tanstack/react-query'
import { serviceClient } from '../../client/service-client.js'
import { AccessDecision, AccessReviewService } from '../../proto/gen/kairship/access_review_pb.js'
import { rest } from '../connection/rest.js'
import { serverText } from '../failures/server-words.js'
import { KubeApi } from '../kube/kube-api.js'
import { type Rights, readRights, UNKNOWN_RIGHTS } from '../kube/rights.js'
import type { Words } from '../words/en.js'
import { useWords } from '../words/use-words.js'
import { type HostAction, HostReviews } from './host-reviews.js'

const access = serviceClient(AccessReviewService, rest)
const hostReviews = new HostReviews(
  async actions => (await access.reviewAccess({ actions: [...actions] })).reviews,
)

/** How long answers about rights are cached, milliseconds. The server checks every request in any case. */
const RIGHTS_MS = 60_000

/** An action on objects of an instance's own API, in RBAC's terms. */
export interface InstanceAction {
  readonly instance: string
  readonly verb: string
  readonly group: string
  readonly resource: string
  /** The object's name; absent for an action on no single object. */
  readonly name?: string
  /** The object's namespace, empty for types without one. Absent on screens of many namespaces: the action must be allowed in some namespace. */
  readonly namespace?: string
}

/** An action in an instance, or on Kairship's own resources on the host. */
export type Wanted = InstanceAction | HostAction

/** Why the caller may not do an action; undefined where they may, until the answer is known, and without an action. */
export function useRefusal(wanted: Wanted | undefined): string | undefined {
  const isInside = wanted !== undefined && 'instance' in wanted
  const onHost = useHostRefusal(isInside ? undefined : wanted)
  const inside = useInstanceRefusal(isInside ? wanted : undefined)
  return onHost ?? inside
}

/**
 * Kairship's own decision. Except for instances, whose rights roles give, the right to all objects is reviewed first: few callers have rights to
 * single objects.
 */
function useHostRefusal(action: HostAction | undefined): string | undefined {
  const words = useWords()
  const { verb = '', resource = '', name } = action ?? {}
  const isByRole = resource.split('/')[0] === 'instances'
  const first = useHostReview({ verb, resource, ...(isByRole && name && { name }) }, action !== undefined)
  const isDenied = first?.decision === AccessDecision.DENIED
  const single = useHostReview({ verb, resource, name: name ?? '' }, isDenied && !isByRole && !!name)
  const review = isDenied && !isByRole && name ? single : first
  return review?.decision === AccessDecision.DENIED ? sentences(review, review.fix, words) : undefined
}

function useHostReview(action: HostAction, enabled: boolean) {
  const { data } = useQuery({
    queryKey: ['host access', action.verb, action.resource, action.name ?? ''],
    queryFn: () => hostReviews.of(action),
    staleTime: RIGHTS_MS,
    enabled,
  })
  return data
}

/**
 * The control plane's decision, from the rights that it lists for the caller. Only denied actions cost a request of their own, for their explanation.
 */
function useInstanceRefusal(action: InstanceAction | undefined): string | undefined {
  const { may } = useWords()
  const rights = useRights(action)
  const isDenied = action !== undefined && !rights.may(action.verb, action, action.name)
  const explained = useExplained(action, isDenied)
  if (!isDenied) return undefined
  const { verb, group, resource } = action
  return [may.denied(verb, `${resource}${group && `.${group}`}`), explained].filter(Boolean).join(' ')
}

/** Kairship's explanation of a refusal, with who can help. */
function useExplained(action: InstanceAction | undefined, enabled: boolean): string | undefined {
  const {
    instance = '',
    verb = '',
    group = '',
    resource = '',
    name = '',
    namespace = '',
  }: Partial<InstanceAction> = action ?? {}
  const words = useWords()
  const { data } = useQuery({
    queryKey: ['access', instance, verb, group, resource, name, namespace],
    queryFn: ({ signal }) =>
      access.explainAccess({ instance, verb, group, resource, name, namespace }, { signal }),
    staleTime: RIGHTS_MS,
    enabled,
  })
  if (data?.decision !== AccessDecision.DENIED) return undefined
  return sentences({ summary: data.summary, quoted: data.first?.quoted }, data.first?.fix, words)
}

/** The refusal, and the fix as a sentence of its own. */
const sentences = (
  { summary, quoted }: { readonly summary: string; readonly quoted?: string | undefined },
  fix = '',
  { may, problem }: Words,
): string => may.because(serverText(summary, problem, quoted), fix && serverText(fix, problem))

/** The caller's rights in a namespace of an instance: one review for all buttons of a screen. Nothing is denied until it is answered. */
function useRights(action: InstanceAction | undefined): Rights {
  const { instance = '', namespace }: Partial<InstanceAction> = action ?? {}
  const enabled = action !== undefined
  const { data: somewhere = 'default' } = useQuery({
    queryKey: ['own-namespace', instance],
    queryFn: ({ signal }) => ownNamespace(instance, signal),
    staleTime: RIGHTS_MS,
    enabled: enabled && namespace === undefined,
  })
  const reviewed = namespace === undefined ? somewhere : namespace || 'default'
  const { data = UNKNOWN_RIGHTS } = useQuery({
    queryKey: ['rights', instance, reviewed],
    queryFn: ({ signal }) => readRights(new KubeApi(instance), reviewed, signal),
    staleTime: RIGHTS_MS,
    enabled,
  })
  return data
}

/** The roles, the most powerful first. */
const ROLES: readonly string[] = ['Admin', 'Editor', 'Viewer']

/** The namespace `default`, or one of the caller's most powerful role where all of their roles are limited to namespaces. */
async function ownNamespace(instance: string, signal: AbortSignal): Promise<string> {
  const { roles } = await access.whoAmI({}, { signal })
  const here = roles.filter(role => role.instance === instance)
  if (here.length === 0 || here.some(({ namespaces }) => namespaces.length === 0)) return 'default'
  const [greatest] = here.toSorted((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role))
  return greatest?.namespaces[0] ?? 'default'
}
