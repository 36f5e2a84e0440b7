import type { DescService, JsonObject } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { CLUSTERS } from '../../../../karmada/objects/cluster.js'
import { INSTANCES } from '../../../../manifests/instance.js'
import { resourcePath } from '../../../../manifests/kube.js'
import { InstanceService } from '../../../../proto/gen/kairship/instance_pb.js'
import { withoutRequestId } from '../../support/outcome.js'
import { administratorOf, startUnmanagedKarmada, storeKubeconfig } from '../../support/unmanaged-karmada.js'
import type { Wires } from '../../support/wires.js'
import { triedIn } from '../requests.js'
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

/** Dry runs of changes of members, of new instances and of their settings: what they refuse, answer and leave. */
export function dryRunCases(clusters: ClusterWorld): void {
  const { world } = clusters
  const instances = world.of(InstanceService)
  const settings = [
    'updateInstanceFailover',
    'updateInstanceDescheduler',
    'updateInstanceMetricsAdapter',
  ] as const

  const host = () => world.world.playground.host.local
  const onHost = (name: string) => world.find(host(), INSTANCES, { name })

  const hostServer = () => world.world.playground.host
  /** The reason and the message by which both wires refuse a dry run of an instance by a Secret. */
  const creationRefusal = async (name: string) => {
    const kubeconfigSecretRef = { namespace: 'karmada-instances', name }
    const data = { metadata: { name: 'checked' }, spec: { kubeconfigSecretRef } }
    const { ok, json, text } = await instances.calls.both('createInstance', { data, dryRun: true })
    expect(ok, text).toBe(false)
    const info = json.details.find(({ reason }: { reason?: string }) => reason !== undefined)
    return [info.reason, json.message]
  }

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

    it('of a new instance answers what would be stored and what was found, and stores nothing', async () => {
      const kubeconfigSecretRef = { namespace: 'karmada-instances', name: 'tried' }
      const request = { data: { metadata: { name: 'tried' }, spec: { alias: 'Tried', kubeconfigSecretRef } } }
      expect(await refusal(instances.viewer, 'createInstance', request)).toBe(PERMISSION_DENIED)
      const wrong = { data: { ...request.data, spec: { alias: 'x'.repeat(64), kubeconfigSecretRef } } }
      expect(await refusal(instances.calls, 'createInstance', wrong)).toBe(INVALID_ARGUMENT)
      const karmada = await startUnmanagedKarmada('tried')
      try {
        await storeKubeconfig(hostServer(), 'tried', { kubeconfig: await administratorOf(karmada.server) })
        const answers = [
          await instances.calls.overRest('createInstance', { ...request, dryRun: true }),
          await instances.calls.overGrpc('createInstance', { ...request, dryRun: true }),
        ]
        for (const { ok, json, text } of answers) {
          expect(ok, text).toBe(true)
          expect(json).toMatchObject({
            metadata: { name: 'tried' },
            spec: { alias: 'Tried', kubeconfigSecretRef },
            status: { endpoint: karmada.server.url, kubernetesVersion: expect.stringMatching(/^v1\./) },
          })
        }
      } finally {
        await karmada.close()
      }
      expect(await onHost('tried')).toBeUndefined()
      expect((await instances.calls.overRest('getInstance', { name: 'tried' })).json.code).toBe(NOT_FOUND)
      expect(triedIn(instances, 'CreateInstance', 'tried').filter(([, code]) => code === 'OK')).toEqual([
        ['rest', 'OK', true],
        ['grpc', 'OK', true],
      ])
      expect(await creationRefusal('tried')).toEqual([
        ...['ClusterUnreachable', expect.stringContaining('connect ECONNREFUSED')],
      ])
    })

    it('of a new instance is refused for a Secret, a kubeconfig or a control plane that cannot be adopted', async () => {
      const [managed] = world.world.playground.karmadas.values()
      const owned = managed ? await administratorOf(managed.server) : ''
      const secrets: Record<string, Record<string, string>> = {
        keyless: { config: owned },
        broken: { kubeconfig: 'clusters: {' },
        plain: { kubeconfig: clusters.kubeconfig },
        stranger: {
          kubeconfig: clusters.changed(document => {
            document.users[0].user = { token: 'nobodys' }
          }),
        },
        distrusted: {
          kubeconfig: clusters.changed(document => {
            delete document.clusters[0].cluster['certificate-authority-data']
          }),
        },
        owned: { kubeconfig: owned },
      }
      for (const [name, data] of Object.entries(secrets)) await storeKubeconfig(hostServer(), name, data)
      const of = (reason: string, message: string) => [reason, expect.stringContaining(message)]
      expect(await creationRefusal('absent')).toEqual(
        of('SecretNotFound', 'Secret karmada-instances/absent does not exist'),
      )
      expect(await creationRefusal('keyless')).toEqual(of('SecretKeyMissing', 'it has config'))
      expect(await creationRefusal('broken')).toEqual(of('KubeconfigInvalid', 'not valid YAML (line 1)'))
      expect(await creationRefusal('plain')).toEqual(of('NotKarmada', 'is no Karmada control plane'))
      expect(await creationRefusal('stranger')).toEqual(
        of('ClusterRefused', 'does not accept the credential'),
      )
      expect(await creationRefusal('distrusted')).toEqual(
        of('ClusterUnreachable', 'certificate-authority-data'),
      )
      expect(await creationRefusal('owned')).toEqual(of('DuplicateEndpoint', `instance ${world.instance}`))
    })

    it('of a setting of an instance that Kairship installs answers as the setting does, and changes nothing', async () => {
      const name = 'set-dry'
      await host().request({
        method: 'POST',
        path: resourcePath(INSTANCES),
        body: {
          ...{ apiVersion: 'kairship.io/v1alpha1', kind: 'Instance', metadata: { name } },
          spec: { install: {} },
        },
      })
      const stored = async () => {
        const { metadata, spec } = await onHost(name)
        return { generation: metadata.generation, spec }
      }
      const shown = async () => {
        const of = { instance: name }
        return [
          await instances.calls.read('getInstanceFailover', of),
          await instances.calls.read('getInstanceDescheduler', of),
          await instances.calls.read('getInstanceMetricsAdapter', of),
        ]
      }
      const before = [await stored(), await shown()]
      const timeout = { clusterMonitorPeriod: '60' }
      for (const rpc of settings) {
        const request = {
          ...{ instance: name, enabled: rpc !== 'updateInstanceMetricsAdapter', dryRun: true },
          ...(rpc === 'updateInstanceFailover' && { timeout }),
        }
        const { ok, json, text } = await instances.calls.both(rpc, request)
        expect([ok, json], `${rpc}: ${text}`).toEqual([true, {}])
        const operation = `${rpc.charAt(0).toUpperCase()}${rpc.slice(1)}`
        expect(triedIn(instances, operation, name)).toEqual([
          ['rest', 'OK', true],
          ['grpc', 'OK', true],
        ])
      }
      expect([await stored(), await shown()]).toEqual(before)
      // The same without a dry run is stored.
      await instances.calls.rest('updateInstanceFailover', { instance: name, enabled: true, timeout })
      expect([await stored(), await shown()]).not.toEqual(before)
      expect(triedIn(instances, 'UpdateInstanceFailover', name).at(-1)).toEqual(['rest', 'OK', false])
    })
  })
}
