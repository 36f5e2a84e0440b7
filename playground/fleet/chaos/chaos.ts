import { type KubeList, resourcePath } from '../../../manifests/kube.js'
import { isNotFound } from '../../../manifests/status-error.js'
import type { ChaosAction, ChaosState } from '../../../ports/chaos.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { internalError } from '../../apiserver/api-status.js'
import type { ApiResponse } from '../../apiserver/wire/exchange.js'
import { update } from '../../client/write.js'
import type { Member } from '../../member/member.js'
import type { Node, Pod } from '../../objects/core.js'
import { NODES, PODS } from '../../objects/core-types.js'

/** How long a slow member holds each answer back, milliseconds. */
const SLOW_MS = 2_000

type Fault = Exclude<ChaosAction, 'heal'>
/** Takes a fault back. */
type Undo = () => Promise<void> | void

/** Makes members fail on purpose, so that one can see what Karmada and Kairship make of it. */
export class Chaos {
  readonly #faults = new Map<string, Map<Fault, Undo>>()

  /** @param members by name; looked at when something is asked for, so that it may grow */
  constructor(readonly members: ReadonlyMap<string, Member>) {}

  list(): readonly ChaosState[] {
    return [...this.members.keys()].sort().map(name => ({
      name,
      faults: [...(this.#faults.get(name)?.keys() ?? [])],
    }))
  }

  /**
   * Does something to a member. What is done already stays as it is.
   * @returns what was done; undefined where there is no such member
   */
  async apply(name: string, action: ChaosAction): Promise<ChaosState | undefined> {
    const member = this.members.get(name)
    if (!member) return undefined
    const faults = this.#faults.get(name) ?? new Map<Fault, Undo>()
    this.#faults.set(name, faults)
    if (action === 'heal') {
      for (const [fault, undo] of faults) {
        faults.delete(fault)
        await undo()
      }
    } else if (!faults.has(action)) faults.set(action, await start(member, action))
    return { name, faults: [...faults.keys()] }
  }
}

async function start({ server, nodes }: Member, fault: Fault): Promise<Undo> {
  switch (fault) {
    case 'cut':
      return server.interrupt({ kind: 'refuseConnections' })
    case 'slow':
      return server.interrupt({ kind: 'delay', milliseconds: SLOW_MS })
    case 'break':
      return server.interrupt({ kind: 'answer', matches: () => true, response: broken() })
    case 'drain':
      return drain(server.local)
    case 'crash':
      return crash(server.local, nodes)
  }
}

const broken = (): ApiResponse => {
  const { code, status } = internalError(new Error('this member was broken on purpose'))
  return { code, body: { text: JSON.stringify(status), contentType: 'application/json' } }
}

/** Cordons the nodes and evicts their pods, as `kubectl drain --ignore-daemonsets` does. Nodes that were cordoned before stay so. */
async function drain(api: KubeApi): Promise<Undo> {
  const { items } = await api.request<KubeList<Node>>({ method: 'GET', path: resourcePath(NODES) })
  const names = items.filter(({ spec }) => !spec?.unschedulable).map(({ metadata }) => metadata.name)
  for (const name of names) await setUnschedulable(api, name, true)
  const { items: pods } = await api.request<KubeList<Pod>>({ method: 'GET', path: resourcePath(PODS) })
  for (const pod of pods) if (pod.spec?.nodeName && !isDaemon(pod)) await evict(api, pod)
  return async () => {
    for (const name of names) await setUnschedulable(api, name, false)
  }
}

/** Stops the first node by name that is ready. */
async function crash(api: KubeApi, nodes: Member['nodes']): Promise<Undo> {
  const { items } = await api.request<KubeList<Node>>({ method: 'GET', path: resourcePath(NODES) })
  const [name] = items
    .filter(({ status }) => status?.conditions?.some(one => one.type === 'Ready' && one.status === 'True'))
    .map(({ metadata }) => metadata.name)
    .sort()
  if (name === undefined) return () => undefined
  await nodes.stop(name)
  return () => nodes.setReady(name, true)
}

const isDaemon = ({ metadata }: Pod): boolean =>
  metadata.ownerReferences?.some(({ kind, controller }) => controller && kind === 'DaemonSet') ?? false

const setUnschedulable = (api: KubeApi, name: string, unschedulable: boolean): Promise<unknown> =>
  update<Node>(api, NODES, { name }, node => {
    const { unschedulable: _, ...spec } = node.spec ?? {}
    return { ...node, spec: unschedulable ? { ...spec, unschedulable } : spec }
  })

async function evict(api: KubeApi, { metadata: { namespace = '', name } }: Pod): Promise<void> {
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } }
  const path = resourcePath(PODS, { namespace, name, subresource: 'eviction' })
  await api.request({ method: 'POST', path, body }).catch(error => {
    if (!isNotFound(error)) throw error
  })
}
