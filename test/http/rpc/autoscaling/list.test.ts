import { expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { autoscalingHandlers } from '../../../../http/rpc/autoscaling/handlers.js'
import { ListFederatedHPAsRequest_Kind as Kind } from '../../../../proto/gen/kairship/autoscaling_pb.js'
import { recordingObjects } from '../recording-objects.js'

it.each([
  [Kind.KIND_UNSPECIFIED, '', ['web', 'web-2', 'db', 'none']],
  [Kind.KIND_UNSPECIFIED, 'web', ['web', 'db']],
  [Kind.Deployment, '', ['web', 'web-2']],
  [Kind.Deployment, 'web', ['web']],
  [Kind.Deployment, 'we', []],
])('a list of the FederatedHPAs of kind %i and target %j has %j', async (kind, targetName, names) => {
  const of = (name: string, kind: string, target: string) => ({
    metadata: { name },
    spec: { scaleTargetRef: { kind, name: target } },
  })
  const { objects } = recordingObjects(() => undefined, {
    federatedhpas: [
      ...[of('web', 'Deployment', 'web'), of('web-2', 'Deployment', 'web-2'), of('db', 'StatefulSet', 'web')],
      { metadata: { name: 'none' } },
    ],
  })
  const request = { instance: 'i', namespace: 'a', page: 1, pageSize: 0, kind, targetName }
  const { items = [] } = await autoscalingHandlers(objects).listFederatedHPAs(request as never, {} as Call)
  expect(items.map(({ metadata }) => metadata?.name)).toEqual(names)
})
