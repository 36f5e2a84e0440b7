import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { deployments } from '../../../../http/rpc/apps/deployment.js'
import { replicatedState } from '../../../../http/rpc/apps/replicated.js'
import { inState, listByState } from '../../../../http/rpc/distribution/list-by-state.js'
import { kindHandlers } from '../../../../http/rpc/kind/kind-handlers.js'
import { watchKind } from '../../../../http/rpc/kind/watch-kind.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { WorkloadStateSchema } from '../../../../proto/gen/kairship/types_pb.js'
import { recordingObjects } from '../recording-objects.js'

const states = { type: deployments.type, schema: WorkloadStateSchema, of: replicatedState }
const call = { caller: { user: 'u', groups: [] }, answered: () => undefined } as unknown as Call
const member = { instance: 'i', cluster: 'm', namespace: 'a' }
const deployment = (name: string, replicas: number) => ({ metadata: { name }, spec: { replicas } })
/** Of all but one, by a condition that a request has beside its state. */
const where = ({ metadata }: KubeObject) => metadata.name !== 'hidden'
const world = () =>
  recordingObjects(() => undefined, {
    deployments: [deployment('stopped', 0), deployment('hidden', 0), deployment('waiting', 1)],
  })

describe('a condition and a state of one request', () => {
  it('both count in a list', async () => {
    const { objects } = world()
    const list = listByState(objects, kindHandlers(objects, deployments), states)
    const names = async (phase: string, more: object = {}) =>
      (await list({ ...member, page: 1, pageSize: 0, phase }, call, more)).items.map(
        ({ metadata }) => metadata?.name,
      )
    expect(await names('WORKLOAD_STATE_STOPPED')).toEqual(['stopped', 'hidden'])
    expect(await names('WORKLOAD_STATE_STOPPED', { where })).toEqual(['stopped'])
    expect(await names('', { where })).toEqual(['stopped', 'waiting'])
  })

  it('both count in a list of a member that is followed', async () => {
    const { objects, recorded } = world()
    const of = kindHandlers(objects, deployments)
    const matches = inState(states, 'WORKLOAD_STATE_STOPPED')
    for await (const _ of of.watch({ ...member, resumeToken: '' }, call, { where }, matches));
    const { query } = recorded.find(({ verb }) => verb === 'watch')!
    const selected = ['stopped', 'hidden', 'waiting'].filter((name, index) =>
      query?.where?.(deployment(name, index === 2 ? 1 : 0) as never),
    )
    expect(selected).toEqual(['stopped'])
  })
})

it.each([
  ['', { instance: 'i' }],
  ['m', { instance: 'i', cluster: 'm' }],
])('a list that is followed in the cluster %j is in %j', async (cluster, place) => {
  const { objects, recorded } = recordingObjects(() => undefined)
  const of = kindHandlers(objects, { type: deployments.type, message: () => ({}) })
  const changes = await watchKind(of, 'deployment')({ instance: 'i', cluster, resumeToken: '' }, call)
  for await (const _ of changes);
  expect(recorded).toMatchObject([{ verb: 'watch', place }])
  expect(recorded[0]?.place).toEqual(place)
})
