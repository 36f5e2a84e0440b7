import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { serviceClient } from '../../client/service-client.js'
import { PlacementService } from '../../proto/gen/kairship/placement_pb.js'
import { rest } from '../connection/rest.js'
import { Problem } from '../failures/problem.js'
import { apiVersionOf, type ObjectAddress } from '../kube/object.js'
import { Trace } from './trace.js'

const placement = serviceClient(PlacementService, rest)

/** The trace of an object to each member. @param version changes when the trace must be read again */
export function Propagation({
  instance,
  at,
  version,
}: {
  readonly instance: string
  readonly at: ObjectAddress
  readonly version: unknown
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
  // Reports of the members change the template's status, and then the trace is read again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of `version` reads the trace again
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: key })
  }, [version])
  return (
    <>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {data && <Trace instance={instance} trace={data} />}
    </>
  )
}
