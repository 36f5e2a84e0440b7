import type { ButtonProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { serviceClient } from '../../client/service-client.js'
import { AccessReviewService } from '../../proto/gen/kairship/access_review_pb.js'
import { rest } from '../connection/rest.js'
import { KubeApi } from '../kube/kube-api.js'
import type { ObjectType } from '../kube/object.js'
import { type Rights, readRights, UNKNOWN_RIGHTS } from '../kube/rights.js'
import { useWords } from '../words/use-words.js'
import { RefusableButton } from './refusable-button.js'

const access = serviceClient(AccessReviewService, rest)

/** Rights are asked for again after this time, milliseconds. The server decides in any case. */
const RIGHTS_MS = 60_000

/**
 * What the caller may do in a namespace of an instance: one review for a screen. Until it is answered, nothing is denied.
 * @param namespace of what the screen shows; for types without one any will do
 */
export function useRights(instance: string, namespace: string): Rights {
  const { data } = useQuery({
    queryKey: ['rights', instance, namespace],
    queryFn: ({ signal }) => readRights(new KubeApi(instance), namespace || 'default', signal),
    staleTime: RIGHTS_MS,
  })
  return data ?? UNKNOWN_RIGHTS
}

/**
 * What the caller may do somewhere in an instance, for screens of many namespaces: in the default one, or in the first of those for which the caller
 * has a role, where it is a role for namespaces.
 */
export function useListRights(instance: string): Rights {
  const { data: namespace = 'default' } = useQuery({
    queryKey: ['own-namespace', instance],
    queryFn: async ({ signal }) => {
      const { roles } = await access.whoAmI({}, { signal })
      const here = roles.filter(role => role.instance === instance)
      const isForAll = here.length === 0 || here.some(({ namespaces }) => namespaces.length === 0)
      return isForAll ? 'default' : (here[0]?.namespaces[0] ?? 'default')
    },
    staleTime: RIGHTS_MS,
  })
  return useRights(instance, namespace)
}

/** What a button is for. */
export interface Wish {
  readonly verb: string
  readonly type: Pick<ObjectType, 'group' | 'resource'>
  /** Of the object; absent for what is of no one object. */
  readonly name?: string
}

/** A button for a wish, which says so where the caller may not. */
export function MayButton({
  rights,
  wish: { verb, type, name },
  ...props
}: ButtonProps & {
  readonly rights: Rights
  readonly wish: Wish
  readonly onClick: () => void
  readonly children: ReactNode
}) {
  const { may } = useWords()
  const what = `${type.resource}${type.group && `.${type.group}`}`
  return (
    <RefusableButton {...props} refusal={rights.may(verb, type, name) ? undefined : may.denied(verb, what)} />
  )
}
