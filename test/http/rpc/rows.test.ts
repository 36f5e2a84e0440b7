import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { Call } from '../../../http/call/call.js'
import { type Operation, operationsOf } from '../../../http/operation/operation.js'
import { apiextensionsHandlers } from '../../../http/rpc/apiextensions/handlers.js'
import { appsHandlers } from '../../../http/rpc/apps/handlers.js'
import { workloadHandlers } from '../../../http/rpc/apps/workload-handlers.js'
import { autoscalingHandlers } from '../../../http/rpc/autoscaling/handlers.js'
import { batchHandlers } from '../../../http/rpc/batch/handlers.js'
import { coreHandlers } from '../../../http/rpc/core/handlers.js'
import { networkingHandlers } from '../../../http/rpc/networking/handlers.js'
import { policyHandlers } from '../../../http/rpc/policy/handlers.js'
import { propagationHandlers } from '../../../http/rpc/propagation/handlers.js'
import { ApiextensionsService } from '../../../proto/gen/kairship/apiextensions_pb.js'
import { AppsService } from '../../../proto/gen/kairship/apps_pb.js'
import { AutoscalingService } from '../../../proto/gen/kairship/autoscaling_pb.js'
import { BatchService } from '../../../proto/gen/kairship/batch_pb.js'
import { CoreService } from '../../../proto/gen/kairship/core_pb.js'
import { NetworkingService } from '../../../proto/gen/kairship/networking_pb.js'
import { PolicyService } from '../../../proto/gen/kairship/policy_pb.js'
import { PropagationService } from '../../../proto/gen/kairship/propagation_pb.js'
import { WorkloadService } from '../../../proto/gen/kairship/workload_pb.js'
import { recordingObjects } from './recording-objects.js'

/** Their requests need more than a place, a name and a manifest; tests of their own say what they do. */
const OTHERS =
  /\.(?:Promote\w+|Rollback\w+|\w+Revisions|RestartJob|CreateWorkloadService|ListJobsByCronJobsName|\w*CustomResources?(?:JSON)?)$/

/** An instance that has every object which is asked for. */
const instance = () => recordingObjects(() => ({ spec: {} }))
const ownReads = {} as Parameters<typeof coreHandlers>[1]

const operations = ({ objects }: Pick<ReturnType<typeof instance>, 'objects'>): readonly Operation[] => [
  ...operationsOf(ApiextensionsService, apiextensionsHandlers(objects)),
  ...operationsOf(AppsService, appsHandlers(objects)),
  ...operationsOf(AutoscalingService, autoscalingHandlers(objects)),
  ...operationsOf(BatchService, batchHandlers(objects)),
  ...operationsOf(CoreService, coreHandlers(objects, ownReads)),
  ...operationsOf(NetworkingService, networkingHandlers(objects)),
  ...operationsOf(PolicyService, policyHandlers(objects)),
  ...operationsOf(PropagationService, propagationHandlers(objects)),
  ...operationsOf(WorkloadService, workloadHandlers(objects)),
]
const nameOf = ({ method }: Operation) => `${method.parent.name.replace(/Service$/, '')}.${method.name}`
const names = operations(instance())
  .map(nameOf)
  .filter(name => !OTHERS.test(name))

/** A request about the object x in namespace a of the instance north; text fields only. */
const requestOf = ({ method: { input } }: Operation) => {
  const has = (field: string) => input.fields.find(({ name }) => name === field)
  const given: Record<string, unknown> = { instance: 'north' }
  if (has('namespace')) given.namespace = 'a'
  if (has('cluster')) given.cluster = 'm1'
  if (has('name') && !/^(?:List|Watch)/.test(input.name)) given.name = 'x'
  if (has('replicas')) given.replicas = 1
  const data = has('data')
  if (data?.fieldKind === 'scalar') given.data = JSON.stringify({ metadata: { name: 'x' }, spec: {} })
  if (data?.fieldKind === 'map') given.data = { a: 'Yg==' }
  return create(input, given)
}
const call = {
  ...{ caller: { user: 'u', groups: [] }, signal: new AbortController().signal },
  ...{ about: () => undefined, answered: () => undefined },
} as unknown as Call

describe('the handler of an rpc', () => {
  it.each(names)('does to an object what its permission says, and writes nothing else: %s', async name => {
    const world = instance()
    const operation = operations(world).find(one => nameOf(one) === name)!
    const { verb, resource } = operation.object!.action
    const answer = await operation.handle(requestOf(operation) as never, call)
    if (verb === 'watch') for await (const _ of answer as AsyncIterable<unknown>);
    const isRead = ['get', 'list', 'watch'].includes(verb)
    expect(world.writes().map(write => `${write.verb} ${write.resource}`)).toEqual(
      isRead ? [] : [`${verb} ${resource}`],
    )
    expect(world.recorded.map(one => `${one.verb} ${one.resource}`)).toContain(`${verb} ${resource}`)
    for (const { key, object } of world.writes()) expect((key ?? object?.metadata)?.name).toBe('x')
  })
})
