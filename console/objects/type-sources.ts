import { serviceClient } from '../../client/service-client.js'
import { ApiextensionsService, type CustomResource } from '../../proto/gen/kairship/apiextensions_pb.js'
import {
  type FleetObject,
  FleetScope,
  FleetService,
  WatchFleetObjectsResponse_Type as FleetType,
} from '../../proto/gen/kairship/fleet_pb.js'
import { rest } from '../connection/rest.js'
import type { ObjectType } from '../kube/object.js'
import { failureOf } from '../live/long-list.js'
import { rpcSource } from '../live/rpc-source.js'
import type { Change, Source } from '../live/source.js'
import { rowKey as keyOf, nameSelector, type ObjectQuery, type ObjectRow } from './object-kind.js'

const extensions = serviceClient(ApiextensionsService, rest)
const fleet = serviceClient(FleetService, rest)

/** Objects of a type of a CustomResourceDefinition. */
export const customResources =
  ({ group, version, resource }: ObjectType) =>
  (wanted: ObjectQuery): Source<ObjectRow> => {
    const { instance, find = '', namespace = '' } = wanted
    const of = { instance, group, version, resource, fuzzyName: find, ...nameSelector(wanted) }
    return rpcSource({
      list: (page, options) =>
        namespace === ''
          ? extensions.listClusterCustomResources({ ...of, ...page }, options)
          : extensions.listCustomResources({ ...of, namespace, ...page }, options),
      watch: (resumeToken, options) =>
        extensions.watchCustomResources({ ...of, namespace, resumeToken }, options),
      itemOf: message => message.resource,
      rowOf: ({
        name,
        namespace: inside,
        creationTimestamp,
        labels,
        clusters,
        propagationpolicies,
      }: CustomResource) => ({
        metadata: { name, namespace: inside, creationTimestamp, labels, uid: '' },
        clusters,
        facts: [propagationpolicies.join(', ')],
      }),
      keyOf,
    })
  }

const fleetTypes: Readonly<Partial<Record<FleetType, Change<never>['type']>>> = {
  [FleetType.RESET]: 'RESET',
  [FleetType.ADDED]: 'ADDED',
  [FleetType.MODIFIED]: 'MODIFIED',
  [FleetType.DELETED]: 'DELETED',
  [FleetType.LEFT]: 'LEFT',
  [FleetType.BOOKMARK]: 'BOOKMARK',
}

/** Objects of a type without their content, so that a list of ConfigMaps does not transfer megabytes. */
export const bare =
  ({ group, version, resource }: ObjectType) =>
  ({ instance, find = '', namespace = '', ...wanted }: ObjectQuery): Source<ObjectRow> => {
    const of = {
      group,
      version,
      resource,
      scope: FleetScope.CONTROL_PLANES,
      instances: [instance],
      namespace,
      name: find,
      ...nameSelector(wanted),
    }
    const rowOf = ({ metadata }: FleetObject): ObjectRow => ({ metadata, facts: [] })
    return {
      async list(page, signal) {
        const { items, pagination, places } = await fleet.listFleetObjects({ ...of, ...page }, { signal })
        const [error] = places.flatMap(place => place.error ?? [])
        if (error) throw failureOf(error)
        return { items: items.map(rowOf), total: pagination?.total ?? items.length }
      },
      async *watch(_resumeToken, signal) {
        for await (const { type, object, total, place } of fleet.watchFleetObjects(of, { signal })) {
          if (place?.error) throw failureOf(place.error)
          const change = place ? undefined : fleetTypes[type]
          if (change) yield { type: change, total, resumeToken: '', ...(object && { item: rowOf(object) }) }
        }
      },
      keyOf,
      isStable: true,
    }
  }
