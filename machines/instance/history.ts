import type { TransitionRecord } from '../../ports/fleet.js'
import type { Failure } from '../failure.js'
import type { InstanceSnapshot } from './invariants.js'
import { doing, isTask } from './task.js'

/** How many transitions are kept of each instance: a day of a calm one, some minutes of one in trouble. */
const HISTORY_LIMIT = 100

/** By path: as many as the chart has states. So the records of all instances share these texts, instead of having copies of their own. */
const publicPaths = new Map<string, string>()

/** The path of a state without what the chart needs only for itself: `managed.phase.registering.reaching` → `registering.reaching`. */
function publicPath(path: string): string {
  const known = publicPaths.get(path)
  if (known !== undefined) return known
  const shown = path.replace(/^managed\.phase\.|^managed\.|^deleting\.teardown\./, '')
  publicPaths.set(path, shown)
  return shown
}

/** Full paths of all active leaf states, in the chart's order. */
export function configurationOf({ value }: Pick<InstanceSnapshot, 'value'>): readonly string[] {
  const leaves = (node: unknown, path: string): string[] =>
    typeof node === 'string'
      ? [join(path, node)]
      : Object.entries(node as Record<string, unknown>).flatMap(([key, child]) =>
          leaves(child, join(path, key)),
        )
  return leaves(value, '')
}
const join = (path: string, key: string): string => (path ? `${path}.${key}` : key)

type Node = string | Readonly<Record<string, unknown>> | undefined

const childOf = (node: Node, key: string): Node =>
  typeof node === 'object' ? (node[key] as Node) : undefined

const isSame = (a: Node, b: Node): boolean =>
  a === b ||
  (typeof a === 'object' &&
    typeof b === 'object' &&
    Object.keys(a).length === Object.keys(b).length &&
    Object.keys(a).every(key => isSame(childOf(a, key), childOf(b, key))))

/** The active path at or below a node, which has one: only the node above it is parallel. */
function pathBelow(node: Node, path: string): string {
  if (typeof node !== 'object') return node === undefined ? path : join(path, node)
  const [[key, child] = []] = Object.entries(node)
  return key === undefined ? path : pathBelow(child as Node, join(path, key))
}

/** Which regions are elsewhere than before, each with its paths. Each region's move is a record of its own. */
function movesBetween(before: Node, after: Node): readonly { readonly from?: string; readonly to: string }[] {
  if (typeof after !== 'object') return before === after ? [] : [{ to: after ?? '' }]
  return Object.entries(after).flatMap(([mode, regions]) => {
    const left = childOf(before, mode)
    if (typeof regions !== 'object')
      return isSame(left, regions as Node) ? [] : [{ to: join(mode, String(regions)) }]
    return Object.entries(regions as Record<string, unknown>).flatMap(([region, node]) => {
      const was = childOf(left, region)
      if (isSame(was, node as Node)) return []
      const path = join(mode, region)
      return [{ ...(was !== undefined && { from: pathBelow(was, path) }), to: pathBelow(node as Node, path) }]
    })
  })
}

/** Status writes are not recorded: they follow every other change, and would crowd out real transitions. */
const isStatusWrite = (path: string): boolean => /^(managed|deleting)\.status\./.test(path)

/** Pure: the records of one event's transitions; none if no state changed, or only that of the writing of the status. */
export function transitionsBetween(
  before: InstanceSnapshot,
  after: InstanceSnapshot,
  event: { readonly type: string },
  time: string,
): readonly TransitionRecord[] {
  const moved = movesBetween(before.value, after.value).filter(({ to }) => !isStatusWrite(to))
  if (moved.length === 0) return []
  const [cause, detail] = [causeOf(event), redacted(event)]
  return moved.map(({ from, to }) => ({
    time,
    from: publicPath(from ?? configurationOf(before)[0] ?? ''),
    to: publicPath(to),
    event: event.type,
    cause,
    detail,
  }))
}

/** The newest records; the oldest fall away. */
export const remembering = (
  history: readonly TransitionRecord[],
  records: readonly TransitionRecord[],
): readonly TransitionRecord[] =>
  records.length === 0 ? history : [...history, ...records].slice(-HISTORY_LIMIT)

/** Why, in one sentence, from what the event carries. */
export function causeOf(event: { readonly type: string }): string {
  const failure = failureWithin(event)
  if (failure) return `${failure.reason}: ${failure.message}`
  const effect = /^xstate\.(done|error)\.actor\.(.+)\.effect$/.exec(event.type)
  if (effect && isTask(effect[2]))
    return `${doing[effect[2]]} ${effect[1] === 'done' ? 'succeeded' : 'failed'}`
  if (event.type === 'xstate.init') return 'the actor started'
  return sentences[event.type] ?? `${event.type.replace(/\./g, ' ')}`
}

/** Why, by the type of the event. */
export const sentences: Readonly<Record<string, string>> = {
  'instance.observed': 'the Instance changed',
  'instance.removed': 'the Instance is gone',
  'leadership.gained': 'this replica leads now',
  'leadership.lost': 'this replica does not lead any more',
  'credentials.observed': 'the kubeconfig was read and a connection made of it',
  'controlPlane.probed': 'the control plane and its aggregated API answered the probe',
  'controlPlane.contactLost': 'there is no connection to the control plane',
  'index.measured': 'what was written into the control plane was seen in the index',
  'impersonation.answered': 'the control plane gave a token to impersonate callers with',
  'duplicate.observed': 'its control plane was compared with those of all other instances',
  'installation.observed': 'karmada-operator’s object changed',
  'virtualCluster.observed': 'the PediaCluster changed',
  'registration.observed': 'the InstanceRegistration changed',
  'roleBindings.observed': 'the InstanceRoleBindings changed',
  'roleBindings.rbacChanged': 'the RBAC that Kairship made inside the control plane was changed',
  'statistics.observed': 'new statistics were gathered',
  'host.contactMade': 'a watch on the host is current again',
  'rest.began': 'a timer started',
  'rest.ended': 'a timer ended',
}

/** The first failure that an event carries, however deep. */
function failureWithin(value: unknown): Failure | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { reason, stage, message } = value as Partial<Failure>
  if (reason && stage && message !== undefined) return { reason, stage, message }
  for (const part of Object.values(value)) {
    const found = failureWithin(part)
    if (found) return found
  }
  return undefined
}

/** An event's payload for people: whole objects shrink to their identity, and nothing that may hold a secret is named. */
export function redacted(event: object): Readonly<Record<string, unknown>> {
  const {
    type: _type,
    instance,
    statistics,
    output: _output,
    error: _error,
    ...rest
  } = event as Record<string, unknown>
  const shown: Record<string, unknown> = { ...rest }
  if (instance) {
    const { metadata, status } = instance as {
      metadata: Record<string, unknown>
      status?: { phase?: string }
    }
    const { name, uid, resourceVersion, generation, deletionTimestamp } = metadata
    shown.instance = { name, uid, resourceVersion, generation, deletionTimestamp, phase: status?.phase }
  }
  if (statistics) shown.statistics = { ok: (statistics as { ok: boolean }).ok }
  return shown
}
