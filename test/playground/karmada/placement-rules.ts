import { isDeepStrictEqual } from 'node:util'
import type { Taint } from '../../../karmada/objects/cluster.js'
import type { Placement } from '../../../karmada/objects/placement.js'
import type { Binding } from '../../../karmada/objects/resource-binding.js'
import { conditionOf } from '../../../playground/objects/conditions.js'
import { DOWN, MEMBERS, TEMPLATES } from './placement-histories.js'
import type { Seen, SeenMember, Wanted } from './placement-world.js'

/**
 * What must hold of every placement, in words of its own: nothing here calls the scheduler, its filters, or the interpreter.
 */

/** The replicas of a template by cluster. */
export type Shares = ReadonlyMap<string, number>

export const sharesOf = (binding: Binding | undefined): Shares =>
  new Map((binding?.spec.clusters ?? []).map(({ name, replicas = 0 }) => [name, replicas]))

const sum = (values: Iterable<number>): number => [...values].reduce((total, one) => total + one, 0)

/** Whether a placement allows a cluster, whatever its taints. */
export const mayUse = ({ clusterAffinity = {} }: Placement, cluster: string): boolean =>
  (clusterAffinity.clusterNames?.includes(cluster) ?? true) && !clusterAffinity.exclude?.includes(cluster)

/** Whether a taint of the cluster, of one of these effects, is not tolerated. The histories have one key and one value. */
export const isRepelled = (
  { clusterTolerations = [] }: Placement,
  taints: readonly Taint[] = [],
  ...effects: readonly string[]
): boolean =>
  taints.some(
    ({ effect }) =>
      effects.includes(effect) &&
      !clusterTolerations.some(one => one.effect === undefined || one.effect === effect),
  )

/** The placement that the binding was last scheduled for, with the tolerations that the histories know: webhooks add others. */
function lastApplied({ metadata }: Binding): Placement {
  const text = metadata.annotations?.['policy.karmada.io/applied-placement'] ?? '{}'
  const { clusterTolerations = [], ...placement }: Placement = JSON.parse(text)
  return { ...placement, clusterTolerations: clusterTolerations.filter(({ key }) => key === DOWN.key) }
}

export const isDivided = ({ replicaScheduling }: Placement): boolean =>
  replicaScheduling?.replicaSchedulingType === 'Divided'

/** Whether replicas go where there is room for them. */
export const followsRoom = ({ replicaScheduling }: Placement): boolean =>
  replicaScheduling?.replicaDivisionPreference === 'Aggregated' ||
  replicaScheduling?.weightPreference?.dynamicWeight !== undefined

const isLive = ({ status }: SeenMember['pods'][number]): boolean =>
  status?.phase !== 'Succeeded' && status?.phase !== 'Failed'

const milliCpus = (text: string | undefined): number =>
  text === undefined ? 0 : text.endsWith('m') ? Number(text.slice(0, -1)) : 1_000 * Number(text)

const requested = (pods: SeenMember['pods']): number =>
  sum(pods.filter(isLive).map(({ spec }) => milliCpus(spec?.containers?.[0]?.resources?.requests?.cpu)))

/** Thousandths of a CPU that no pod of a member requests, pending ones included. */
export const freeIn = (seen: Seen, cluster: string): number =>
  1_000 * sum(MEMBERS[cluster] ?? []) - requested(seen.members.get(cluster)?.pods ?? [])

/** Everything that is not as it must be in the end; nothing when all is. */
export function complaints(wanted: Wanted, seen: Seen): readonly string[] {
  return [
    ...Object.keys(TEMPLATES).flatMap(name => ofTemplate(name, wanted, seen)),
    ...Object.keys(MEMBERS).flatMap(name => ofMember(name, seen)),
  ]
}

function ofTemplate(name: string, { replicas, placements, taints }: Wanted, seen: Seen): readonly string[] {
  const count = replicas.get(name)
  const placement = placements.get(name)
  const binding = seen.bindings.find(({ metadata }) => metadata.name === `${name}-deployment`)
  const works = seen.works.filter(({ spec }) => spec.workload.manifests[0]?.metadata.name === name)
  if (count === undefined || placement === undefined) {
    const left = [...works, ...(binding ? [binding] : []), ...inMembers(name, seen)]
    return left.length > 0 ? [`${name}: ${left.length} objects are left`] : []
  }
  if (!binding) return [`${name}: no binding`]
  const shares = sharesOf(binding)
  const leaving = (binding.spec.gracefulEvictionTasks ?? []).map(({ fromCluster }) => fromCluster)
  const wrong: string[] = []
  const check = (holds: boolean, words: string) => {
    if (!holds) wrong.push(`${name}: ${words}`)
  }
  check(
    (binding.spec.replicas ?? 0) === count,
    `${binding.spec.replicas} replicas in the binding, not ${count}`,
  )
  const fitting = Object.keys(MEMBERS).filter(one => mayUse(placement, one) && !leaving.includes(one))
  const open = fitting.filter(
    one => !isRepelled(placement, taints.get(one), 'NoSchedule', 'NoExecute') && !leaving.includes(one),
  )
  const scheduled = conditionOf(binding.status?.conditions, 'Scheduled')
  const failure = scheduled?.status === 'False' ? scheduled.reason : undefined
  const most = placement.spreadConstraints?.[0]?.maxGroups ?? Number.POSITIVE_INFINITY
  const mayChoose = !isDivided(placement) || followsRoom(placement)
  const isPlaced = isDivided(placement)
    ? sum(shares.values()) === count
    : [...shares.values()].every(one => one === count) && (count === 0 || shares.size > 0)
  if (!isPlaced) {
    check(
      failure !== undefined,
      `${JSON.stringify([...shares])} do not add up to ${count}, and no failure says so`,
    )
    if (failure === 'NoClusterFit') check(open.length === 0, `no cluster fits, although ${open} do`)
    else check(followsRoom(placement) || failure === undefined, `${failure} of what needs no room`)
  }
  // Without room the result of before is kept.
  if (failure === undefined) {
    for (const cluster of shares.keys())
      check(fitting.includes(cluster), `${cluster} has replicas, and may have none`)
    if (!isDivided(placement) && count > 0 && most === Number.POSITIVE_INFINITY)
      check(
        open.every(one => shares.has(one)),
        `not duplicated to all of ${open}`,
      )
    if (mayChoose && count > 0) check(shares.size <= most, `${shares.size} clusters, at most ${most}`)
  }
  const applied = lastApplied(binding)
  if (failure === undefined)
    check(
      isDeepStrictEqual(applied.clusterTolerations ?? [], placement.clusterTolerations ?? []),
      'scheduled for the tolerations of another placement',
    )
  // What is kept without room was placed by the tolerations of before, and Karmada evicts by these.
  for (const cluster of shares.keys())
    check(!isRepelled(applied, taints.get(cluster), 'NoExecute'), `${cluster} executes nothing of it`)
  for (const [cluster, share] of shares) {
    const work = works.find(({ metadata }) => metadata.namespace === `karmada-es-${cluster}`)
    const part = work?.spec.workload.manifests[0]?.spec?.replicas
    check(part === share, `Work in ${cluster} has ${part}, not ${share}`)
    const member = seen.members.get(cluster)
    const there = member?.deployments.find(({ metadata }) => metadata.name === name)
    check(there?.spec?.replicas === share, `${cluster} has ${there?.spec?.replicas}, not ${share}`)
    const pods = member?.pods.filter(one => isLive(one) && one.metadata.labels?.app === name).length
    check(pods === share, `${cluster} has ${pods} pods, not ${share}`)
  }
  const elsewhere = Object.keys(MEMBERS).filter(one => !shares.has(one) && !leaving.includes(one))
  for (const cluster of elsewhere) {
    check(
      !works.some(({ metadata }) => metadata.namespace === `karmada-es-${cluster}`),
      `Work left in ${cluster}`,
    )
    const { deployments = [] } = seen.members.get(cluster) ?? {}
    check(!deployments.some(({ metadata }) => metadata.name === name), `Deployment left in ${cluster}`)
  }
  check(
    works.length === shares.size + leaving.filter(one => !shares.has(one)).length,
    `${works.length} Works`,
  )
  const template = seen.templates.find(({ metadata }) => metadata.name === name)
  if (leaving.length === 0)
    check(
      (template?.status?.replicas ?? 0) === sum(shares.values()),
      `status says ${template?.status?.replicas}`,
    )
  return wrong
}

const inMembers = (name: string, { members }: Seen) =>
  [...members.values()].flatMap(({ deployments, pods }) => [
    ...deployments.filter(({ metadata }) => metadata.name === name),
    ...pods.filter(({ metadata }) => metadata.labels?.app === name),
  ])

function ofMember(name: string, seen: Seen): readonly string[] {
  const { pods = [], nodes = [] } = seen.members.get(name) ?? {}
  const overfull = nodes.filter(
    ({ metadata, status }) =>
      requested(pods.filter(({ spec }) => spec?.nodeName === metadata.name)) >
      milliCpus(status?.allocatable?.cpu),
  )
  const cluster = seen.clusters.find(({ metadata }) => metadata.name === name)
  const { allocatable, allocated, allocating } = cluster?.status?.resourceSummary ?? {}
  const reported = [allocated, allocating].map(list => milliCpus(list?.cpu as string | undefined))
  const free = milliCpus(allocatable?.cpu as string | undefined) - sum(reported)
  return [
    ...overfull.map(({ metadata }) => `${name}: pods request more than ${metadata.name} has`),
    ...(free === freeIn(seen, name) ? [] : [`${name}: reports ${free}m free, has ${freeIn(seen, name)}m`]),
  ]
}
