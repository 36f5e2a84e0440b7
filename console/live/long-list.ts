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

/** The objects of a control plane that a list shows. */
interface ListedObjects {
  readonly instance: string
  readonly namespace?: string | undefined
  /** A part of their names. */
  readonly find?: string | undefined
}

/** A row with the metadata of its Kubernetes object. */
interface ObjectRow {
  readonly metadata?: { readonly resourceVersion?: string } | undefined
}

/** The error of the only place of a list, as an Error like the one that a single answer throws. */
export const failureOf = ({ message, reason }: FleetError) => Object.assign(new Error(message), { reason })

const types = { [Type.ADDED]: 'ADDED', [Type.MODIFIED]: 'MODIFIED', [Type.DELETED]: 'DELETED' } as const

/** Adds the objects' resourceVersions to a source, so that its pages never show a row that is older than the one its Watch sent. */
export const ofVersions = <T extends ObjectRow>(source: Source<T>): Source<T> => ({
  ...source,
  versionOf: ({ metadata }) => metadata?.resourceVersion,
})

/**
 * Adds a stream of changes to a list of objects of a control plane: the page follows it where the list is too long for its Watch. The rows need keys
 * of the form `namespace/name`. Secrets have no such stream.
 */
export const ofAnyLength = <T extends ObjectRow>(
  source: Source<T>,
  { group, version, resource }: ObjectType,
  { instance, namespace = '', find = '' }: ListedObjects,
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
