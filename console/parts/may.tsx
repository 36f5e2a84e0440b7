import type { ButtonProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { serviceClient } from '../../client/service-client.js'
import { AccessDecision, AccessReviewService } from '../../proto/gen/kairship/access_review_pb.js'
import { rest } from '../connection/rest.js'
import { KubeApi } from '../kube/kube-api.js'
import { readRights, UNKNOWN_RIGHTS } from '../kube/rights.js'
import { useWords } from '../words/use-words.js'
import { RefusableButton } from './refusable-button.js'

const access = serviceClient(AccessReviewService, rest)

/** Rights are asked for again after this time, milliseconds. The server decides in any case. */
const RIGHTS_MS = 60_000
/** The group of what Kairship itself decides; everything else is the instance's own API. */
const OWN_GROUP = 'kairship.io'

/** What somebody would do, as RBAC says it. */
export interface Wanted {
  readonly instance: string
  readonly verb: string
  readonly group: string
  readonly resource: string
  /** Of the object; absent for what is of no one object. */
  readonly name?: string
  /** Of the object, empty for types without one. Absent on screens of many namespaces: whether it is allowed somewhere. */
  readonly namespace?: string
}

/** Why the caller may not do something; undefined where they may, and until it is known. */
function useRefusal(wanted: Wanted): string | undefined {
  const { group, resource, verb, name } = wanted
  const { may } = useWords()
  const isOwn = group === OWN_GROUP
  const rights = useRights(wanted, !isOwn)
  const isDenied = !isOwn && !rights.may(verb, { group, resource }, name)
  // Of an instance's own API only what is denied needs an explanation: most buttons need no request of their own.
  const explained = useExplained(wanted, isOwn || isDenied)
  if (!isDenied) return isOwn ? explained : undefined
  return [may.denied(verb, `${resource}${group && `.${group}`}`), explained].filter(Boolean).join(' ')
}

/** Why something is refused, by Kairship's own explanation, with who can help. */
function useExplained(wanted: Wanted, enabled: boolean): string | undefined {
  const { instance, verb, group, resource, name = '', namespace = '' } = wanted
  const { data } = useQuery({
    queryKey: ['access', instance, verb, group, resource, name, namespace],
    queryFn: ({ signal }) =>
      access.explainAccess({ instance, verb, group, resource, name, namespace }, { signal }),
    staleTime: RIGHTS_MS,
    enabled,
  })
  if (data?.decision !== AccessDecision.DENIED) return undefined
  return [data.summary, data.first?.fix].filter(Boolean).join(' ')
}

/** What the caller may do in a namespace of an instance: one review for all buttons of a screen. Until it is answered, nothing is denied. */
function useRights({ instance, namespace }: Wanted, enabled: boolean) {
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

/** The default one, or the first of those for which the caller has a role, where it is a role for namespaces. */
async function ownNamespace(instance: string, signal: AbortSignal): Promise<string> {
  const { roles } = await access.whoAmI({}, { signal })
  const here = roles.filter(role => role.instance === instance)
  const isForAll = here.length === 0 || here.some(({ namespaces }) => namespaces.length === 0)
  return isForAll ? 'default' : (here[0]?.namespaces[0] ?? 'default')
}

/** A button for what is wanted, which says why where the caller may not. */
export function MayButton({
  wanted,
  ...props
}: ButtonProps & {
  readonly wanted: Wanted
  readonly onClick: () => void
  readonly children: ReactNode
}) {
  return <RefusableButton {...props} refusal={useRefusal(wanted)} />
}
