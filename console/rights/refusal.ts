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

/** Rights are asked for again after this time, milliseconds. The server decides in any case. */
const RIGHTS_MS = 60_000

/** What somebody would do with objects of an instance's own API, as RBAC says it. */
export interface InstanceAction {
  readonly instance: string
  readonly verb: string
  readonly group: string
  readonly resource: string
  /** Of the object; absent for what is of no one object. */
  readonly name?: string
  /** Of the object, empty for types without one. Absent on screens of many namespaces: whether it is allowed somewhere. */
  readonly namespace?: string
}

/** What somebody would do: in an instance, or with Kairship's own resources on the host. */
export type Wanted = InstanceAction | HostAction

/** Why the caller may not do something; undefined where they may, and until it is known. Without a wish it is undefined. */
export function useRefusal(wanted: Wanted | undefined): string | undefined {
  const isInside = wanted !== undefined && 'instance' in wanted
  const onHost = useHostRefusal(isInside ? undefined : wanted)
  const inside = useInstanceRefusal(isInside ? wanted : undefined)
  return onHost ?? inside
}

/** Kairship's own decision. Of what no role on an instance gives, a right to all objects is asked for first: few have one to single objects. */
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

/** The control plane's decision, by what it says that the caller may do. Only what is denied is explained: most buttons need no request of their own. */
function useInstanceRefusal(action: InstanceAction | undefined): string | undefined {
  const { may } = useWords()
  const rights = useRights(action)
  const isDenied = action !== undefined && !rights.may(action.verb, action, action.name)
  const explained = useExplained(action, isDenied)
  if (!isDenied) return undefined
  const { verb, group, resource } = action
  return [may.denied(verb, `${resource}${group && `.${group}`}`), explained].filter(Boolean).join(' ')
}

/** Why something is refused, by Kairship's own explanation, with who can help. */
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

/** What is refused, and what helps as a sentence of its own. */
const sentences = (
  { summary, quoted }: { readonly summary: string; readonly quoted?: string | undefined },
  fix = '',
  { may, problem }: Words,
): string => may.because(serverText(summary, problem, quoted), fix && serverText(fix, problem))

/** What the caller may do in a namespace of an instance: one review for all buttons of a screen. Until it is answered, nothing is denied. */
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

/** From the most that a role gives to the least. */
const ROLES: readonly string[] = ['Admin', 'Editor', 'Viewer']

/** The default one, or that of the caller's greatest role, where all of them are for namespaces. */
async function ownNamespace(instance: string, signal: AbortSignal): Promise<string> {
  const { roles } = await access.whoAmI({}, { signal })
  const here = roles.filter(role => role.instance === instance)
  if (here.length === 0 || here.some(({ namespaces }) => namespaces.length === 0)) return 'default'
  const [greatest] = here.toSorted((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role))
  return greatest?.namespaces[0] ?? 'default'
}
