import type { DescService, JsonObject } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { CLUSTERS } from '../../../../karmada/objects/cluster.js'
import { InstanceService } from '../../../../proto/gen/kairship/instance_pb.js'
import { withoutRequestId } from '../../support/outcome.js'
import type { Wires } from '../../support/wires.js'
import type { ClusterWorld } from './cluster-world.js'

/** Codes of google.rpc.Status. */
const INVALID_ARGUMENT = 3
const NOT_FOUND = 5
const PERMISSION_DENIED = 7
const FAILED_PRECONDITION = 9

/** The code that a request is refused with, over both wires, in a dry run and without: all four refusals must be the same. */
async function refusal<S extends DescService>(
  wires: Wires<S>,
  rpc: keyof S['method'] & string,
  request: JsonObject,
): Promise<number> {
  const real = await wires.both(rpc, request)
  const tried = await wires.both(rpc, { ...request, dryRun: true })
  expect([real.ok, tried.ok], `${rpc}: ${real.text}; ${tried.text}`).toEqual([false, false])
  expect(withoutRequestId(tried.json), rpc).toEqual(withoutRequestId(real.json))
  return tried.json.code
}

/** Refusals of dry runs, of changes of members and of the instance's settings. */
export function dryRunCases(clusters: ClusterWorld): void {
  const { world } = clusters
  const instances = world.of(InstanceService)
  const settings = [
    'updateInstanceFailover',
    'updateInstanceDescheduler',
    'updateInstanceMetricsAdapter',
  ] as const

  describe('a dry run', () => {
    it('of a change of a member is refused to who may only read, as the change is', async () => {
      const of = clusters.named(world.members[0] ?? '')
      const cluster = { metadata: { labels: { tier: 'tried' } } }
      expect(await refusal(world.viewer, 'updateJoinedCluster', { ...of, cluster })).toBe(PERMISSION_DENIED)
      for (const rpc of ['cordonJoinedCluster', 'uncordonJoinedCluster', 'removeJoinedCluster'] as const)
        expect(await refusal(world.viewer, rpc, of), rpc).toBe(PERMISSION_DENIED)
      const { kubeconfig } = clusters
      expect(await refusal(world.viewer, 'joinCluster', { ...clusters.named('tried'), kubeconfig })).toBe(
        PERMISSION_DENIED,
      )
    })

    it('of a change of a member is refused for bad input, as the change is, and writes nothing', async () => {
      const [name = ''] = world.members
      await clusters.running(name)
      const stored = async () => {
        const { metadata, spec } = await world.find(world.control, CLUSTERS, { name })
        return { labels: metadata.labels, spec }
      }
      const before = await stored()
      for (const cluster of [
        { metadata: { labels: { 'not a label': 'x' } } },
        { metadata: { name: 'other' } },
        { spec: { taints: [{ key: 'a' }] } },
      ])
        expect(
          await refusal(world.calls, 'updateJoinedCluster', { ...clusters.named(name), cluster }),
          JSON.stringify(cluster),
        ).toBe(INVALID_ARGUMENT)
      const none = { ...clusters.named('tried'), kubeconfig: 'none' }
      expect(await refusal(world.calls, 'joinCluster', none)).toBe(INVALID_ARGUMENT)
      for (const rpc of ['cordonJoinedCluster', 'uncordonJoinedCluster', 'removeJoinedCluster'] as const)
        expect(await refusal(world.calls, rpc, clusters.named('absent')), rpc).toBe(NOT_FOUND)
      expect(await stored()).toEqual(before)
      expect(await world.find(world.control, CLUSTERS, { name: 'tried' })).toBeUndefined()
    })

    it('of a setting is refused to who may only read, and for an adopted instance, as the setting is', async () => {
      const of = { instance: world.instance, enabled: true }
      for (const rpc of settings) {
        expect(await refusal(instances.viewer, rpc, of), rpc).toBe(PERMISSION_DENIED)
        expect(await refusal(instances.calls, rpc, of), rpc).toBe(FAILED_PRECONDITION)
        expect(await refusal(instances.calls, rpc, { ...of, instance: 'absent' }), rpc).toBe(NOT_FOUND)
      }
      const timeout = { failoverEvictionTimeout: 5 }
      expect(await refusal(instances.calls, 'updateInstanceFailover', { ...of, timeout })).toBe(
        INVALID_ARGUMENT,
      )
    })
  })
}
