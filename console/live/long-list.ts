import { serviceClient } from '../../client/service-client.js'
import {
  type FleetError,
  FleetScope,
  FleetService,
  WatchFleetObjectsResponse_Type as Type,
} from '../../proto/gen/kairship/fleet_pb.js'
import { rest } from '../connection/rest.js'
import type { ObjectType } from '../kube/object.js'
import type { RowChange, Source } from './source.js'

const fleet = serviceClient(FleetService, rest)

/** Which objects of a control plane are listed. */
interface Wanted {
  readonly instance: string
  readonly namespace?: string | undefined
  /** A text in their names. */
  readonly find?: string | undefined
}

/** A row of objects as Kubernetes names them. */
interface Named {
  readonly metadata?: { readonly resourceVersion?: string } | undefined
}

/** What the one place of a list answered, as an answer to it alone would be thrown. */
export const failureOf = ({ message, reason }: FleetError) => Object.assign(new Error(message), { reason })

const types = { [Type.ADDED]: 'ADDED', [Type.MODIFIED]: 'MODIFIED', [Type.DELETED]: 'DELETED' } as const

/** A list of objects, which have Kubernetes' versions: what its pages show is never older than what its Watch has told. */
export const ofVersions = <T extends Named>(source: Source<T>): Source<T> => ({
  ...source,
  versionOf: ({ metadata }) => metadata?.resourceVersion,
})

/**
 * A list of objects of a control plane whose changes are followed also where it is too long for its Watch. Its rows have keys of the form `namespace/name`. Secrets
 * have no such stream.
 */
export const ofAnyLength = <T extends Named>(
  source: Source<T>,
  { group, version, resource }: ObjectType,
  { instance, namespace = '', find = '' }: Wanted,
): Source<T> => ({
  ...ofVersions(source),
  async *changes(signal): AsyncGenerator<RowChange> {
    const scope = FleetScope.CONTROL_PLANES
    const of = { group, version, resource, scope, instances: [instance], namespace, name: find }
    for await (const { type, object, place } of fleet.watchFleetObjects(
      { ...of, changesOnly: true },
      { signal },
    )) {
      if (place?.error) throw failureOf(place.error)
      if (type === Type.PLACE_READ) yield { type: 'START' }
      const change = Object.hasOwn(types, type) ? types[type as keyof typeof types] : undefined
      const { name, namespace: inside = '', resourceVersion = '' } = object?.metadata ?? {}
      if (change && name !== undefined)
        yield { type: change, key: `${inside}/${name}`, version: resourceVersion }
    }
  },
})
