import type { ApiClient, ApiObject } from '../api-client.js'
import { itemsOf, type Side } from '../differential/side.js'
import {
  BINDINGS,
  bindingShown,
  byName,
  conditionsOf,
  isOurs,
  memberShown,
  type State,
  templateShown,
  WORKS,
  workShown,
} from '../differential/state.js'
import { REBALANCERS } from './histories.js'
import { CLUSTER_ROLES, CONFIG_MAPS, DEFINITIONS, DEPLOYMENTS, NAMESPACES } from './objects.js'
import { isOf, type World } from './world.js'

const CLUSTER_BINDINGS = 'work.karmada.io/v1alpha2/clusterresourcebindings'
const CLUSTERS = 'cluster.karmada.io/v1alpha1/clusters'

type Fields = Record<string, unknown>

const clusterShown = ({ metadata, spec, status }: ApiObject): unknown => ({
  // A map that became empty is left out by Go.
  labels: metadata.labels ?? {},
  finalizers: metadata.finalizers,
  isLeaving: metadata.deletionTimestamp !== undefined,
  // Who adds one says when.
  taints: (((spec as Fields).taints as Fields[] | undefined) ?? [])
    .map(({ key, value, effect }) => `${String(key)}=${String(value ?? '')}:${String(effect)}`)
    .sort(),
  conditions: conditionsOf(status),
})

/** Labels and annotations; API servers fill in the rest, and the roles of members are nobody's but Karmada's. */
const marksShown = ({ metadata: { labels, annotations } }: ApiObject): unknown => ({ labels, annotations })
const roleShown = ({ metadata: { labels, annotations }, rules }: ApiObject): unknown => ({
  ...{ labels, annotations, rules },
})
const rebalancerShown = ({ spec, status }: ApiObject): unknown => ({ spec, status })

/** Reads everything that a history in this world has led to. */
export async function stateOf({ control, members }: Side, world: World): Promise<State> {
  const { name, clusters } = world
  const state: Fields = {}
  const read = async (
    key: string,
    client: ApiClient,
    [type, namespace]: readonly [string, string?],
    shown: (object: ApiObject) => unknown,
  ): Promise<void> => {
    const items = await itemsOf(client, type, namespace)
    // The world's own namespace is the harness's.
    const isWorlds = ({ metadata, spec }: ApiObject) =>
      namespace !== undefined || isOf(world, metadata.name) || isOf(world, resourceOf(spec) ?? '')
    state[key] = byName(
      items.filter(one => isOurs(one) && !isImpersonators(one) && isWorlds(one)),
      shown,
    )
  }
  await Promise.all([
    read('bindings', control, [BINDINGS, name], bindingShown),
    read('cluster bindings', control, [CLUSTER_BINDINGS], bindingShown),
    read('clusters', control, [CLUSTERS], clusterShown),
    read('rebalancers', control, [REBALANCERS], rebalancerShown),
    ...[DEPLOYMENTS, CONFIG_MAPS].map(type => read(type, control, [type, name], templateShown)),
    ...[CLUSTER_ROLES, DEFINITIONS, NAMESPACES].map(type => read(type, control, [type], marksShown)),
    ...[...members].flatMap(([member, client]) => [
      read(`works of ${member}`, control, [WORKS, `karmada-es-${clusters[member]}`], workShown),
      ...[DEPLOYMENTS, CONFIG_MAPS].map(type =>
        read(`${type} in ${member}`, client, [type, name], memberShown),
      ),
      read(`roles in ${member}`, client, [CLUSTER_ROLES], roleShown),
      ...[DEFINITIONS, NAMESPACES].map(type => read(`${type} in ${member}`, client, [type], marksShown)),
    ]),
  ])
  return Object.fromEntries(Object.entries(state).sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Whether a Cluster is on its way out: Kubernetes deletes the namespace of its Works, for a minute on a busy machine. */
export const isLeaving = (states: readonly State[]): boolean =>
  states.some(({ clusters }) => Object.values(clusters as Fields).some(one => (one as Fields).isLeaving))

/** Karmada brings the impersonator's roles to members by Works; ours writes them there. */
const isImpersonators = ({ metadata }: ApiObject): boolean => metadata.name.startsWith('karmada-impersonator')

const resourceOf = (spec: unknown): string | undefined =>
  (spec as { resource?: { name?: string } } | undefined)?.resource?.name
