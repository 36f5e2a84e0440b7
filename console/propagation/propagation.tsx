import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { serviceClient } from '../../client/service-client.js'
import { PlacementService } from '../../proto/gen/kairship/placement_pb.js'
import { rest } from '../connection/rest.js'
import { Problem } from '../failures/problem.js'
import { apiVersionOf, type ObjectAddress } from '../kube/object.js'
import { Trace } from './trace.js'

const placement = serviceClient(PlacementService, rest)

/** How far an object has come on its way to each member. @param seen changes when it is to be looked at again */
export function Propagation({
  instance,
  at,
  seen,
}: {
  readonly instance: string
  readonly at: ObjectAddress
  readonly seen: unknown
}) {
  const queries = useQueryClient()
  const { type, namespace, name } = at
  const key = ['trace', instance, type.kind, namespace, name]
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      placement.tracePropagation(
        { instance, apiVersion: apiVersionOf(type), kind: type.kind, namespace, name },
        { signal },
      ),
  })
  // What the members report changes the template's status: the way there is looked at again then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of what is shown is a reason to look again
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: key })
  }, [seen])
  return (
    <>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {data && <Trace trace={data} />}
    </>
  )
}
