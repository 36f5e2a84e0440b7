import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import type { Objects } from '../../../../http/objects/objects.js'
import { clusterHandlers } from '../../../../http/rpc/cluster/handlers.js'
import type { Cluster } from '../../../../karmada/objects/cluster.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import {
  CordonJoinedClusterRequestSchema,
  JoinClusterRequestSchema,
  UpdateJoinedClusterRequestSchema,
} from '../../../../proto/gen/kairship/cluster_pb.js'

const CORDON = 'cluster.karmada.io/unschedulable'
const call = {} as Call
const at = { instance: 'north', name: 'm' }

/** An instance in which somebody adds a taint to the Cluster between the first reads of the caller and its writes. */
function contested(otherWrites: number) {
  let version = 1
  let taints: NonNullable<Cluster['spec']['taints']> = []
  const sent: Cluster[] = []
  const objects = {
    get: async (): Promise<Cluster> => ({
      ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster' },
      metadata: { name: 'm', resourceVersion: String(version) },
      spec: { syncMode: 'Push', taints },
    }),
    update: async (_call: Call, _place: object, _type: object, cluster: Cluster) => {
      sent.push(cluster)
      if (version <= otherWrites) {
        version += 1
        taints = [...taints, { key: `theirs-${version}`, effect: 'NoExecute' }]
      }
      if (cluster.metadata.resourceVersion !== String(version))
        throw new StatusError({ ...bareStatus(409, 'the object has been modified'), reason: 'Conflict' })
      taints = cluster.spec.taints ?? []
      version += 1
      return cluster
    },
  } as unknown as Objects
  const handlers = clusterHandlers({ objects } as Parameters<typeof clusterHandlers>[0])
  const cordon = () => handlers.cordonJoinedCluster(create(CordonJoinedClusterRequestSchema, at), call)
  return { handlers, cordon, sent, keys: () => taints.map(({ key }) => key) }
}

describe('a dry run of a change of a member cluster', () => {
  /** An instance that stores nothing, and answers a dry run like this. */
  function dry(answer: (wanted: Cluster) => Promise<Cluster>) {
    const options: unknown[] = []
    const objects = {
      get: async (): Promise<Cluster> => ({
        ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster' },
        metadata: { name: 'm', resourceVersion: '1' },
        spec: { syncMode: 'Push' },
      }),
      update: async (_call: Call, _place: object, _type: object, cluster: Cluster, how: unknown) => {
        options.push(how)
        return answer(cluster)
      },
    } as unknown as Objects
    const handlers = clusterHandlers({ objects } as Parameters<typeof clusterHandlers>[0])
    const request = create(CordonJoinedClusterRequestSchema, { ...at, dryRun: true })
    return { options, cordon: () => handlers.cordonJoinedCluster(request, call) }
  }
  const keysOf = (answer: unknown) =>
    (answer as { spec: { taints: { key: string }[] } }).spec.taints.map(({ key }) => key)

  it('answers with what the instance says that it would store', async () => {
    const { cordon, options } = dry(async wanted => ({
      ...wanted,
      spec: {
        ...wanted.spec,
        taints: [...(wanted.spec.taints ?? []), { key: 'admitted', effect: 'NoExecute' }],
      },
    }))
    expect(keysOf(await cordon())).toEqual([CORDON, 'admitted'])
    expect(options).toEqual([{ dryRun: true }])
  })

  it('answers with what is wanted where a webhook cannot be tried, and passes on what refuses it', async () => {
    const refused = (message: string) =>
      new StatusError({ ...bareStatus(400, message), reason: 'BadRequest' })
    const untried = refused('admission webhook "w" does not support dry run')
    expect(keysOf(await dry(() => Promise.reject(untried)).cordon())).toEqual([CORDON])
    await expect(dry(() => Promise.reject(refused('no'))).cordon()).rejects.toThrow('no')
  })
})

describe('a change of a member cluster that others change too', () => {
  it('is made again of what they wrote, five times at most', async () => {
    const once = contested(1)
    await once.cordon()
    expect(once.keys()).toEqual(['theirs-2', CORDON])
    const always = contested(5)
    await expect(always.cordon()).rejects.toMatchObject({ code: 409 })
    expect(always.sent).toHaveLength(5)
    const lastly = contested(4)
    await lastly.cordon()
    expect(lastly.keys().at(-1)).toBe(CORDON)
  })

  it('is sent once where it names another version than the newest', async () => {
    const { handlers, sent } = contested(0)
    const cluster = { metadata: { resourceVersion: '7', labels: { a: 'b' } } }
    const request = create(UpdateJoinedClusterRequestSchema, { ...at, cluster })
    await expect(handlers.updateJoinedCluster(request, call)).rejects.toMatchObject({ code: 409 })
    expect(sent.map(({ metadata }) => metadata.resourceVersion)).toEqual(['7'])
  })

  it('writes nothing where it changes nothing', async () => {
    const { cordon, sent } = contested(0)
    await cordon()
    await cordon()
    expect(sent).toHaveLength(1)
  })
})

it('who may not use a candidate does not join it: its credential is not even read', async () => {
  const asked: unknown[] = []
  const refuse = async (...parameters: unknown[]) => {
    asked.push(parameters)
    throw new Error('nobody is to be asked')
  }
  const handlers = clusterHandlers({
    host: { request: refuse },
    connector: { connect: refuse },
    authorizer: { decide: async () => ({ allowed: false, reason: 'no RBAC' }) },
  } as unknown as Parameters<typeof clusterHandlers>[0])
  const caller = { user: 'ann', groups: [], extra: {} }
  const joining = handlers.joinCluster(create(JoinClusterRequestSchema, at), { caller } as unknown as Call)
  await expect(joining).rejects.toMatchObject({ code: 7 })
  expect(asked).toEqual([])
})
