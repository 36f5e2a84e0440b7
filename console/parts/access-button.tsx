import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { serviceClient } from '../../client/service-client.js'
import { AccessDecision, AccessReviewService } from '../../proto/gen/kairship/access_review_pb.js'
import { rest } from '../connection/rest.js'

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

/** A button that cannot be used by who may not, and says why. It can still be reached, so that the reason is read out. */
export function AccessButton({
  wanted,
  onClick,
  children,
  ...props
}: ButtonProps & {
  readonly wanted: Wanted
  readonly onClick: () => void
  readonly children: ReactNode
}) {
  const denied = useDenied(wanted)
  if (denied === undefined)
    return (
      <Button {...props} onClick={onClick}>
        {children}
      </Button>
    )
  return (
    <Tooltip label={denied} multiline maw={360}>
      <Button {...props} data-disabled aria-disabled aria-description={denied}>
        {children}
      </Button>
    </Tooltip>
  )
}
