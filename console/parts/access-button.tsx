import type { ButtonProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { serviceClient } from '../../client/service-client.js'
import { AccessDecision, AccessReviewService } from '../../proto/gen/kairship/access_review_pb.js'
import { rest } from '../connection/rest.js'
import { RefusableButton } from './refusable-button.js'

const reviews = serviceClient(AccessReviewService, rest)

/** Rights are asked for again after this time, milliseconds. The server decides in any case. */
const RIGHTS_MS = 60_000

/** What somebody would do, as RBAC says it; of Kairship's own rights the group is `kairship.io`. */
export interface Wanted {
  readonly instance: string
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly name?: string
  /** Empty or absent for types without one, and for all namespaces. */
  readonly namespace?: string
}

/** Why the caller may not do something; undefined where they may, and until it is known. */
export function useDenied({
  instance,
  verb,
  group,
  resource,
  name = '',
  namespace = '',
}: Wanted): string | undefined {
  const { data } = useQuery({
    queryKey: ['access', instance, verb, group, resource, name, namespace],
    queryFn: ({ signal }) =>
      reviews.explainAccess({ instance, verb, group, resource, name, namespace }, { signal }),
    staleTime: RIGHTS_MS,
  })
  if (data?.decision !== AccessDecision.DENIED) return undefined
  return [data.summary, data.first?.fix].filter(Boolean).join(' ')
}

/** A button for what is wanted, which says why where the caller may not. */
export function AccessButton({
  wanted,
  ...props
}: ButtonProps & {
  readonly wanted: Wanted
  readonly onClick: () => void
  readonly children: ReactNode
}) {
  return <RefusableButton {...props} refusal={useDenied(wanted)} />
}
