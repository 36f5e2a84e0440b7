import type { JsonObject } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { WorkloadPodsService } from '../../../../proto/gen/kairship/workload_pods_pb.js'
import { eventually } from '../../support/eventually.js'
import type { Following } from '../../support/following.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'
import { workloadsIn } from './running-workload.js'

interface Step {
  readonly type: string
  readonly cluster: string
  readonly message: string
  readonly total: number
  readonly event: { cluster: string; involvedObject: { kind: string; name: string } } | null
}
const steps = (following: Following) => following.steps as unknown as readonly Step[]
const types = (following: Following) => steps(following).map(({ type }) => type)
/** The names of the pods in a cluster that events are about. */
const podsIn = (following: Following, cluster: string): ReadonlySet<string> =>
  new Set(
    steps(following).flatMap(({ event }) =>
      event?.cluster === cluster && event.involvedObject.kind === 'Pod' ? [event.involvedObject.name] : [],
    ),
  )

/** The events of a workload as they happen, over all its members. */
export function watchedEventsCases(world: ManagedWorld<typeof WorkloadPodsService>): void {
  const { of, run } = workloadsIn(world)
  const scale = (name: string, replicas: number) =>
    world.patch(world.control, TYPES.deployments, { namespace: 'default', name }, { spec: { replicas } })

  describe('the watch of the events of a workload', () => {
    it('has those of its pods in both members, and of pods that are made later, and of no others', async () => {
      await run('watched')
      await run('watched-not')
      const { rest, grpc } = world.calls.follow('watchWorkloadEvents', of('watched'))
      try {
        for (const one of [rest, grpc])
          await eventually('all is there', () => types(one).includes('BOOKMARK'), { story: one.text })
        const isIn = (pods: number) => (one: Following) =>
          world.members.every(member => podsIn(one, member).size === pods)
        for (const one of [rest, grpc]) {
          expect(types(one)[0]).toBe('RESET')
          await eventually('a pod of each member', () => isIn(1)(one), { story: one.text })
        }
        await scale('watched', 2)
        for (const one of [rest, grpc])
          await eventually('the new pod of each member', () => isIn(2)(one), { story: one.text })
        for (const { event } of [...steps(rest), ...steps(grpc)])
          expect(event?.involvedObject.name ?? 'watched').not.toMatch(/^watched-not/)
        await eventually(
          'as many as the list has',
          async () => {
            const { items } = await world.calls.rest('listWorkloadEvents', of('watched'))
            return [rest, grpc].every(one => steps(one).at(-1)?.total === items.length)
          },
          { story: rest.text },
        )
      } finally {
        rest.close()
        grpc.close()
      }
    })

    it('names a member that is not reached, and has its events once it is', async () => {
      await run('half-watched')
      const [up = '', down = ''] = world.members
      const restore = world.member(down).interrupt({ kind: 'refuseConnections' })
      const { rest, grpc } = world.calls.follow('watchWorkloadEvents', of('half-watched'))
      try {
        for (const one of [rest, grpc]) {
          await eventually('all of the other is there', () => types(one).includes('BOOKMARK'), {
            story: one.text,
          })
          expect(steps(one).find(({ type }) => type === 'UNREAD')).toMatchObject({
            cluster: down,
            message: expect.stringMatching(/./),
          })
          await eventually('its pod is told of', () => podsIn(one, up).size === 1, { story: one.text })
          expect(podsIn(one, down).size).toBe(0)
        }
        restore()
        for (const one of [rest, grpc])
          await eventually(
            'it is read once it is back',
            () => podsIn(one, down).size === 1 && types(one).includes('READ'),
            { story: one.text },
          )
      } finally {
        restore()
        rest.close()
        grpc.close()
      }
    })

    it.each<[string, JsonObject, number, string]>([
      ['another kind', { kind: 'ConfigMap' }, 3, 'Deployment, StatefulSet'],
      ['a workload that is not there', { name: 'absent' }, 5, 'absent'],
      ['101 clusters', { clusters: Array.from({ length: 101 }, (_, index) => `m${index}`) }, 3, 'clusters'],
    ])('is refused for %s', async (_, more, code, text) => {
      const refused = await world.calls.overRest('watchWorkloadEvents', of('watched', more))
      expect(refused).toMatchObject({ ok: false, json: { code } })
      expect(refused.text).toContain(text)
    })
  })
}
