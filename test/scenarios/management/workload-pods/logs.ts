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
  readonly pod: string
  readonly container: string
  readonly time: string
  readonly text: string
  readonly message: string
}
/** Without the event that ends a stream of REST. */
const steps = (following: Following) =>
  (following.steps as unknown as readonly Step[]).filter(({ type }) => type !== undefined)
const ofType = (following: Following, type: string) => steps(following).filter(step => step.type === type)

/** Logs and events of a workload over all its members. */
export function workloadPodsCases(world: ManagedWorld<typeof WorkloadPodsService>): void {
  const { of, run } = workloadsIn(world)
  const close = (...streams: Following[]) => {
    for (const one of streams) one.close()
  }
  const ended = ({ text }: Following) => /event: end/.test(text())

  describe('the logs of a workload', () => {
    it('come from the pods of both members, by time, over both wires alike', async () => {
      await run('says')
      const { rest, grpc } = world.calls.follow('streamWorkloadLogs', of('says'))
      try {
        await eventually('the stream ends', () => ended(rest), { story: rest.text })
        const lines = ofType(rest, 'LINE')
        expect(steps(rest)).toHaveLength(lines.length)
        expect(new Set(lines.map(({ cluster }) => cluster))).toEqual(new Set(world.members))
        expect(lines.map(({ text }) => text)).toContain('simulated container main of image nginx:1.27')
        for (const { pod, container } of lines)
          expect([pod.startsWith('says-'), container]).toEqual([true, 'main'])
        const times = lines.map(({ time }) => Date.parse(time))
        expect(times.every(time => time > 0)).toBe(true)
        expect(times).toEqual([...times].sort((a, b) => a - b))
        await eventually('gRPC has the same', () => steps(grpc).length === lines.length, { story: grpc.text })
        expect(steps(grpc)).toEqual(steps(rest))
      } finally {
        close(rest, grpc)
      }
    })

    it('are as many lines as are wanted, of the wanted cluster', async () => {
      await run('says-little')
      const [cluster = ''] = world.members
      const { rest, grpc } = world.calls.follow(
        'streamWorkloadLogs',
        of('says-little', { kind: 'deployments', tailLines: 1, clusters: [cluster] }),
      )
      try {
        await eventually('the stream ends', () => ended(rest), { story: rest.text })
        expect(steps(rest)).toMatchObject([{ type: 'LINE', cluster, truncated: false }])
      } finally {
        close(rest, grpc)
      }
    })

    it('that are followed have the lines of pods that join, and tell of pods that leave', async () => {
      await run('grows')
      const { rest, grpc } = world.calls.follow('streamWorkloadLogs', of('grows', { follow: true }))
      try {
        for (const one of [rest, grpc])
          await eventually('the past is there', () => ofType(one, 'FOLLOWING').length === 1, {
            story: one.text,
          })
        const before = new Set(ofType(rest, 'LINE').map(({ pod }) => pod))
        expect(before.size).toBe(2)
        const past = ofType(rest, 'LINE').length
        await world.patch(
          world.control,
          TYPES.deployments,
          { namespace: 'default', name: 'grows' },
          { spec: { replicas: 2 } },
        )
        for (const one of [rest, grpc])
          await eventually(
            'a pod joins in each member, with its lines',
            () =>
              new Set(ofType(one, 'LINE').map(({ pod }) => pod)).size === 4 &&
              ofType(one, 'JOINED').length === 2,
            { story: one.text },
          )
        const joined = ofType(rest, 'JOINED')
        expect(new Set(joined.map(({ cluster }) => cluster))).toEqual(new Set(world.members))
        // What was read before is not read again.
        const old = ofType(rest, 'LINE').filter(({ pod }) => before.has(pod))
        expect(old).toHaveLength(past)
        const [gone] = joined
        await world.remove(world.member(gone!.cluster).local, TYPES.pods, {
          namespace: 'default',
          name: gone!.pod,
        })
        for (const one of [rest, grpc])
          await eventually(
            'it leaves, its container and then the pod',
            () =>
              ofType(one, 'ENDED').some(
                ({ pod, container, message }) =>
                  pod === gone!.pod && !container && message === 'the pod is gone',
              ),
            { story: one.text },
          )
      } finally {
        close(rest, grpc)
      }
    })

    it('name a member that is not reached, and come from the others', async () => {
      await run('half-heard')
      const [up = '', down = ''] = world.members
      const restore = world.member(down).interrupt({ kind: 'refuseConnections' })
      const { rest, grpc } = world.calls.follow('streamWorkloadLogs', of('half-heard', { follow: true }))
      try {
        await eventually('the past of the other is there', () => ofType(rest, 'FOLLOWING').length === 1, {
          story: rest.text,
        })
        expect(ofType(rest, 'UNREAD')[0]).toMatchObject({
          cluster: down,
          message: expect.stringMatching(/./),
        })
        expect(new Set(ofType(rest, 'LINE').map(({ cluster }) => cluster))).toEqual(new Set([up]))
        restore()
        await eventually(
          'it is read once it is back',
          () => ofType(rest, 'LINE').some(({ cluster }) => cluster === down),
          {
            story: rest.text,
          },
        )
      } finally {
        restore()
        close(rest, grpc)
      }
    })

    it.each<[string, JsonObject, number, string]>([
      ['another kind', { kind: 'ConfigMap' }, 3, 'Deployment, StatefulSet'],
      ['a workload that is not there', { name: 'absent' }, 5, 'absent'],
      ['fewer than no lines', { tailLines: -1 }, 3, 'tailLines'],
      ['two beginnings', { sinceSeconds: 5, sinceTime: '2026-11-20T10:00:00Z' }, 3, 'sinceTime'],
      ['a time that is none', { sinceTime: 'yesterday' }, 3, 'sinceTime'],
      ['a follow of what is over', { follow: true, previous: true }, 3, 'follow'],
    ])('are refused for %s', async (_, more, code, text) => {
      const refused = await world.calls.overRest('streamWorkloadLogs', of('says', more))
      expect(refused).toMatchObject({ ok: false, json: { code } })
      expect(refused.text).toContain(text)
    })
  })

  describe('the events of a workload', () => {
    it('are those of its own, its ReplicaSets and its pods in both members, the newest first, by pages', async () => {
      await run('happens')
      const list = (more: JsonObject = {}) => world.calls.read('listWorkloadEvents', of('happens', more))
      type Shown = { cluster: string; lastTimestamp: string; involvedObject: { kind: string; name: string } }
      const kindsIn = (items: readonly Shown[], cluster: string) =>
        new Set(
          items.filter(item => item.cluster === cluster).map(({ involvedObject }) => involvedObject.kind),
        )
      const found = await eventually('each member has told of all three', async () => {
        const found = await list()
        const isWhole = world.members.every(member => kindsIn(found.items, member).size === 3)
        return isWhole ? found : undefined
      })
      for (const member of world.members)
        expect(kindsIn(found.items, member)).toEqual(new Set(['Deployment', 'ReplicaSet', 'Pod']))
      const items: readonly Shown[] = found.items
      for (const { involvedObject } of items) expect(involvedObject.name).toMatch(/^happens/)
      const times = items.map(({ lastTimestamp }) => Number(lastTimestamp))
      expect(times).toEqual([...times].sort((a, b) => b - a))
      expect(found.unread).toEqual([])
      const [cluster = ''] = world.members
      const page = await list({ clusters: [cluster], page: 2, pageSize: 1, type: ['Normal'] })
      expect(page.items).toHaveLength(1)
      expect(page.items[0].cluster).toBe(cluster)
      expect(page.pagination).toMatchObject({ page: 2, pageSize: 1 })
    })

    it('name a member that is not reached', async () => {
      await run('half-known-events')
      const [, down = ''] = world.members
      const restore = world.member(down).interrupt({ kind: 'refuseConnections' })
      try {
        const { items, unread } = await world.calls.rest('listWorkloadEvents', of('half-known-events'))
        expect(unread).toMatchObject([{ cluster: down }])
        expect(items.length).toBeGreaterThan(0)
        expect(items.every(({ cluster }: { cluster: string }) => cluster !== down)).toBe(true)
      } finally {
        restore()
      }
    })
  })
}
