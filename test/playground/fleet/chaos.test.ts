import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { CLUSTERS, type Cluster } from '../../../karmada/objects/cluster.js'
import { type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { ensure, read } from '../../../playground/client/write.js'
import { Chaos } from '../../../playground/fleet/chaos/chaos.js'
import { type ChaosServer, serveChaos } from '../../../playground/fleet/chaos/chaos-server.js'
import { type Karmada, startKarmada } from '../../../playground/karmada/control-plane.js'
import { join } from '../../../playground/karmada/join.js'
import { type Member, startMember } from '../../../playground/member/member.js'
import { conditionOf } from '../../../playground/objects/conditions.js'
import type { Node, Pod } from '../../../playground/objects/core.js'
import { DAEMON_SETS, DEPLOYMENTS, NODES, PODS } from '../../../playground/objects/core-types.js'
import { silent } from '../../silent.js'
import { eventually } from '../eventually.js'

const times = { probe: 50, discovery: 60_000, settle: 10, thresholds: { success: 0, failure: 0 } }

let karmada: Karmada
let member: Member
let chaos: Chaos
let server: ChaosServer
beforeEach(async () => {
  member = await startMember({ name: 'm1', log: silent, podStartMs: 0, podStopMs: 0 })
  karmada = await startKarmada({ name: 'k', connector: kubeConnector(), log: silent, times })
  await join({
    control: karmada.server.local,
    member: member.server.local,
    name: 'm1',
    apiEndpoint: member.server.url,
  })
  chaos = new Chaos(new Map([['m1', member]]))
  server = await serveChaos(chaos)
  await readiness('True', 'ClusterReady', [])
})
afterEach(async () => {
  await server.close()
  await karmada.close()
  await member.close()
})

const readiness = (status: string, reason: string, taints: readonly string[]) =>
  eventually(`the cluster to be ${status} for ${reason}, with taints [${taints}]`, async () => {
    const cluster = await read<Cluster>(karmada.server.local, CLUSTERS, { name: 'm1' })
    const ready = conditionOf(cluster?.status?.conditions, 'Ready')
    const found = (cluster?.spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`)
    return ready?.status === status && ready.reason === reason && `${found}` === `${taints}`
  })
const NOT_READY = 'cluster.karmada.io/not-ready:NoSchedule'
const list = async <T extends KubeObject>(type: typeof NODES | typeof PODS) =>
  (await member.server.local.request<{ items: T[] }>({ method: 'GET', path: resourcePath(type) })).items

describe('a member', () => {
  it.each([
    ['cut', 'ClusterNotReachable'],
    ['break', 'ClusterNotReady'],
  ] as const)(
    'that is %s is not ready, with reason %s and a taint, until it is healed',
    async (action, reason) => {
      await chaos.apply('m1', action)
      await readiness('False', reason, [NOT_READY])
      await chaos.apply('m1', 'heal')
      await readiness('True', 'ClusterReady', [])
    },
  )

  it('that is cut continues by itself: only Karmada cannot reach it', async () => {
    await chaos.apply('m1', 'cut')
    await ensure(member.server.local, PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'default', name: 'alone' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    } as KubeObject)
    await eventually('the pod to run', async () => (await list<Pod>(PODS))[0]?.status?.phase === 'Running')
  })

  it('that loses a node runs its pods elsewhere; the lost ones are there until the node is back', async () => {
    const spec = {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [{ name: 'c', image: 'i' }],
          tolerations: [
            {
              key: 'node.kubernetes.io/unreachable',
              operator: 'Exists',
              effect: 'NoExecute',
              tolerationSeconds: 0,
            },
          ],
        },
      },
    }
    const web = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'default', name: 'web' },
      spec,
    }
    await ensure(member.server.local, DEPLOYMENTS, web as KubeObject)
    const on = async (name: string) => (await list<Pod>(PODS)).filter(({ spec }) => spec?.nodeName === name)
    const running = async (name: string) =>
      (await on(name)).filter(
        ({ metadata, status }) => status?.phase === 'Running' && !metadata.deletionTimestamp,
      ).length
    await eventually(
      'three pods to run',
      async () => (await running('node-1')) + (await running('node-2')) === 3,
    )
    const lost = (await on('node-1')).length
    expect(lost).toBeGreaterThan(0)
    await chaos.apply('m1', 'crash')
    await eventually('three pods to run on the other node', async () => (await running('node-2')) === 3)
    expect((await on('node-1')).filter(({ metadata }) => metadata.deletionTimestamp)).toHaveLength(lost)
    await eventually('one node of two to be ready', async () => {
      const cluster = await read<Cluster>(karmada.server.local, CLUSTERS, { name: 'm1' })
      return cluster?.status?.nodeSummary?.readyNum === 1
    })
    await chaos.apply('m1', 'heal')
    await eventually('the lost pods to be gone', async () => (await on('node-1')).length === 0)
    await eventually('no taint to be left', async () =>
      (await list<Node>(NODES)).every(({ spec }) => !spec?.taints),
    )
  })

  it('that is drained has cordoned nodes and only DaemonSet pods; after healing its pods run again', async () => {
    const workload = (kind: string, spec: object): KubeObject =>
      ({
        apiVersion: 'apps/v1',
        kind,
        metadata: { namespace: 'default', name: kind.toLowerCase() },
        spec: {
          ...spec,
          selector: { matchLabels: { app: kind } },
          template: {
            metadata: { labels: { app: kind } },
            spec: { containers: [{ name: 'c', image: 'i' }] },
          },
        },
      }) as unknown as KubeObject
    await ensure(member.server.local, DEPLOYMENTS, workload('Deployment', { replicas: 2 }))
    await ensure(member.server.local, DAEMON_SETS, workload('DaemonSet', {}))
    const running = async () =>
      (await list<Pod>(PODS))
        .filter(({ status }) => status?.phase === 'Running')
        .map(kindOf)
        .sort()
    const kindOf = ({ metadata }: Pod) => metadata.labels?.app ?? ''
    const all = ['DaemonSet', 'DaemonSet', 'Deployment', 'Deployment']
    await eventually('all pods to run', async () => `${await running()}` === `${all}`)
    await chaos.apply('m1', 'drain')
    await eventually('daemons to be left alone', async () => `${await running()}` === 'DaemonSet,DaemonSet')
    expect((await list<Node>(NODES)).map(({ spec }) => spec?.unschedulable)).toEqual([true, true])
    await chaos.apply('m1', 'heal')
    await eventually('all pods to run again', async () => `${await running()}` === `${all}`)
    expect((await list<Node>(NODES)).map(({ spec }) => spec?.unschedulable)).toEqual([undefined, undefined])
  })

  it('may have several faults, each once, and healing removes them all', async () => {
    for (const action of ['cut', 'break', 'cut'] as const) await chaos.apply('m1', action)
    expect(chaos.list()).toEqual([{ name: 'm1', faults: ['cut', 'break'] }])
    await chaos.apply('m1', 'heal')
    expect(chaos.list()).toEqual([{ name: 'm1', faults: [] }])
    await readiness('True', 'ClusterReady', [])
  })
})

describe('the chaos API', () => {
  const call = async (method: string, path: string, token = server.token) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    })
    return [response.status, (await response.json()) as { message?: string }] as const
  }

  it('lists members and applies actions', async () => {
    expect(await call('POST', '/members/m1/slow')).toEqual([200, { name: 'm1', faults: ['slow'] }])
    expect(await call('GET', '/members')).toEqual([200, { members: [{ name: 'm1', faults: ['slow'] }] }])
  })

  it.each([
    ['POST', '/members/m1/cut', 'another', 401, /token/],
    ['GET', '/members', '', 401, /token/],
    ['POST', '/members/m2/cut', undefined, 404, /no member is called "m2"; there are m1/],
    ['POST', '/members/m1/burn', undefined, 400, /nothing is called "burn" here, but cut, slow/],
    ['GET', '/members/m1/cut', undefined, 405, /POST/],
    ['POST', '/members', undefined, 405, /GET/],
    ['POST', '/members/m1/cut/more', undefined, 404, /only/],
    ['POST', '/members/%ff/cut', undefined, 404, /only/],
  ])('refuses %s %s with token %s: %i', async (method, path, token, code, message) => {
    const [status, body] = await call(method, path, token)
    expect([status, body.message]).toEqual([code, expect.stringMatching(message)])
    expect(chaos.list()).toEqual([{ name: 'm1', faults: [] }])
  })
})
