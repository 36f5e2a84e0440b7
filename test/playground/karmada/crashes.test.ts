import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { BINDINGS, type Binding } from '../../../karmada/objects/resource-binding.js'
import { WORKS, type Work } from '../../../karmada/objects/work.js'
import { type GroupVersionResource, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { ensure, read, remove } from '../../../playground/client/write.js'
import { type Karmada, startKarmada } from '../../../playground/karmada/control-plane.js'
import type { Member } from '../../../playground/member/member.js'
import { conditionOf } from '../../../playground/objects/conditions.js'
import { CONFIG_MAPS, DEPLOYMENTS } from '../../../playground/objects/core-types.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { normalised } from '../../real/differential/state.js'
import { silent } from '../../silent.js'
import { eventually } from '../eventually.js'
import { Crash } from './crash.js'
import { joinedMembers } from './joined-members.js'
import { deployment, divided, POLICIES, policyFor, policyType } from './propagation-world.js'

/** How many of the possible crashes are tried in each direction; `KAIRSHIP_CRASHES=1000` tries all. */
const CRASHES = Number(process.env.KAIRSHIP_CRASHES ?? 3)

const times = { probe: 200, discovery: 60_000, settle: 10, thresholds: { success: 0, failure: 0 } }
const OVERRIDES = policyType('overridepolicies')

let folder: string
let karmada: Karmada
let crash: Crash
let members: readonly Member[]
const control = () => karmada.server.local

async function start(): Promise<void> {
  crash = new Crash()
  const { through } = crash
  const options = { name: 'k', connector: kubeConnector(), log: silent, times, dataDir: folder, through }
  karmada = await startKarmada(options)
}

async function restart(): Promise<void> {
  await karmada.close()
  await start()
}

beforeAll(async () => {
  folder = await mkdtemp(joinPath(tmpdir(), 'crashes-'))
  await start()
  members = await joinedMembers(control())
})
afterAll(async () => {
  await karmada.close()
  await Promise.all(members.map(one => one.close()))
  await rm(folder, { recursive: true })
})

const pod = {
  containers: [{ name: 'web', image: 'nginx:1.27', envFrom: [{ configMapRef: { name: 'settings' } }] }],
}
const settings = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name: 'settings' },
  data: { a: 'b' },
} as KubeObject
const override = {
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'OverridePolicy',
  metadata: { namespace: 'default', name: 'o' },
  spec: {
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
    overrideRules: [
      {
        targetCluster: { clusterNames: ['m1'] },
        overriders: { labelsOverrider: [{ operator: 'add', value: { first: 'yes' } }] },
      },
    ],
  },
} as KubeObject
const written: readonly (readonly [GroupVersionResource, KubeObject])[] = [
  [OVERRIDES, override],
  [CONFIG_MAPS, settings],
  [DEPLOYMENTS, deployment('web', 4, 'default', pod)],
  [POLICIES, policyFor('Deployment', 'web', divided(['m1', 1], ['m2', 1]), { propagateDeps: true })],
]

const create = async () => {
  for (const [type, object] of written) await ensure(control(), type, object)
}
const removeAll = async () => {
  for (const [type, { metadata }] of written) await remove(control(), type, metadata)
}

const itemsOf = async <T>(
  api: KubeApi,
  type: GroupVersionResource,
  namespace?: string,
): Promise<readonly T[]> =>
  (
    await api.request<{ items: T[] }>({
      method: 'GET',
      path: resourcePath(type, { ...(namespace && { namespace }) }),
    })
  ).items

const worksAndBindings = async () =>
  [
    await itemsOf<Binding>(control(), BINDINGS.namespaced.type, 'default'),
    (await itemsOf<Work>(control(), WORKS)).filter(({ metadata }) => !metadata.name.startsWith('default-')),
  ] as const

/** Karmada's scheduler writes its condition with a result, and never later: a crash in between leaves a binding without it. */
function withoutScheduling(one: unknown): unknown {
  const { status, ...rest } = one as {
    status?: Record<string, unknown> & { conditions?: { type: string }[] }
  }
  if (!status?.conditions) return one
  const { schedulerObservedGeneration: _, ...kept } = status
  return {
    ...rest,
    status: { ...kept, conditions: status.conditions.filter(({ type }) => type !== 'Scheduled') },
  }
}

/** All that was made of what was written, by the names of objects, without ids and times. */
async function outcome(): Promise<unknown> {
  const [bindings, works] = await worksAndBindings()
  const shown = (objects: readonly KubeObject[]) =>
    Object.fromEntries(
      objects
        .map(
          one =>
            [`${one.metadata.namespace}/${one.metadata.name}`, withoutScheduling(normalised(one))] as const,
        )
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    )
  const inMembers = members.map(async ({ server }) => [
    await read(server.local, DEPLOYMENTS, { namespace: 'default', name: 'web' }),
    await read(server.local, CONFIG_MAPS, settings.metadata),
  ])
  return {
    bindings: shown(bindings),
    works: shown(works),
    members: (await Promise.all(inMembers)).map(objects => objects.map(one => normalised(one ?? 'absent'))),
    template: normalised(await read(control(), DEPLOYMENTS, { namespace: 'default', name: 'web' })),
  }
}

async function isDone(): Promise<boolean> {
  const [bindings, works] = await worksAndBindings()
  const template = await read<KubeObject & { status?: { readyReplicas?: number } }>(control(), DEPLOYMENTS, {
    namespace: 'default',
    name: 'web',
  })
  return (
    bindings.length === 2 &&
    bindings.every(({ status }) => conditionOf(status?.conditions, 'FullyApplied')?.status === 'True') &&
    bindings.every(({ status }) => status?.aggregatedStatus?.length === 2) &&
    works.every(({ status }) => conditionOf(status?.conditions, 'Applied')?.status === 'True') &&
    template?.status?.readyReplicas === 4
  )
}

async function isGone(): Promise<boolean> {
  const [bindings, works] = await worksAndBindings()
  const left = members.flatMap(({ server }) => [
    read(server.local, DEPLOYMENTS, { namespace: 'default', name: 'web' }),
    read(server.local, CONFIG_MAPS, settings.metadata),
  ])
  const policies = await read(control(), POLICIES, { namespace: 'default', name: 'p-web' })
  return [...bindings, ...works, ...(await Promise.all(left)), policies].every(one => one === undefined)
}

/** Write numbers, evenly from the first to the last. */
const spread = (writes: number): readonly number[] => {
  const count = Math.min(CRASHES, writes)
  return Array.from({ length: count }, (_, at) => 1 + Math.floor((at * writes) / count))
}

describe('controllers that crash at one of their writes', () => {
  it('lead to the same, and leave nothing behind, as those that do not', async () => {
    await create()
    await eventually('all to be applied', isDone)
    const expected = await outcome()
    const creating = crash.writes
    await removeAll()
    await eventually('nothing to be left', isGone)
    const removing = crash.writes - creating
    expect(creating).toBeGreaterThan(10)
    expect(removing).toBeGreaterThan(3)

    for (const isStored of [false, true])
      for (const at of spread(creating)) {
        await restart()
        Object.assign(crash, { at: crash.writes + at, isStored })
        await create()
        await eventually('the crash or the end', async () => crash.hasHappened || (await isDone()))
        await restart()
        await eventually(`all to be applied after a crash at write ${at}`, isDone)
        await eventually(`the same after a crash at write ${at}`, async () => {
          expect(await outcome()).toEqual(expected)
          return true
        })
        Object.assign(crash, { at: crash.writes + 1 + (at % removing), isStored })
        await removeAll()
        await eventually('the crash or the end', async () => crash.hasHappened || (await isGone()))
        await restart()
        await eventually(`nothing to be left after a crash at write ${1 + (at % removing)}`, isGone)
      }
  })
})
