import { expect } from 'vitest'
import { waitFor } from '../../../patience.js'
import { type Bench, behaviour, type Group, type Json } from '../../apiserver/behaviour.js'
import { itemsOf, patch, selecting, template, until, workload } from '../workload.js'

async function deploy(bench: Bench, spec: Json = {}): Promise<{ name: string; path: string }> {
  const name = bench.name('db')
  const body = selecting(name, { replicas: 2, serviceName: 'db', ...spec })
  await bench.made(bench.apps('statefulsets'), workload('apps/v1', 'StatefulSet', name, body))
  return { name, path: bench.apps('statefulsets', name) }
}

const complete = (bench: Bench, path: string, replicas: number): Promise<Json> =>
  until(bench, path, ({ status, metadata }) => {
    expect(status.observedGeneration).toBe(metadata.generation)
    expect(status.currentRevision).toBe(status.updateRevision)
    expect([status.updatedReplicas, status.readyReplicas, status.replicas]).toEqual(Array(3).fill(replicas))
  })

export const statefulSets: Group = {
  name: 'statefulsets',
  behaviours: [
    behaviour('a StatefulSet that is rolled out says so', async bench => {
      const { path } = await deploy(bench)
      const { status } = await complete(bench, path, 2)
      expect(status).toEqual({
        observedGeneration: 1,
        replicas: 2,
        readyReplicas: 2,
        currentReplicas: 2,
        updatedReplicas: 2,
        availableReplicas: 2,
        currentRevision: status.updateRevision,
        updateRevision: status.updateRevision,
        collisionCount: 0,
      })
    }),
    behaviour('its pods have numbers, and carry them in name, labels and hostname', async bench => {
      const { name, path } = await deploy(bench)
      const { status } = await complete(bench, path, 2)
      const pods = await itemsOf(bench, bench.core('pods'), name)
      expect(pods.map(({ metadata }) => metadata.name).sort()).toEqual([`${name}-0`, `${name}-1`])
      const { metadata, spec } = pods.find(one => one.metadata.name === `${name}-1`)
      expect(metadata.labels).toEqual({
        app: name,
        'apps.kubernetes.io/pod-index': '1',
        'controller-revision-hash': status.updateRevision,
        'statefulset.kubernetes.io/pod-name': `${name}-1`,
      })
      expect([spec.hostname, spec.subdomain]).toEqual([`${name}-1`, 'db'])
    }),
    behaviour('the next pod is made when the one before is ready', async bench => {
      const { name, path } = await deploy(bench, {
        template: template('', 'example.test/main:1'),
        selector: { matchLabels: { app: '' } },
      })
      await complete(bench, path, 2)
      const pods = bench.ok(await bench.admin.get(bench.core('pods'))).items
      const time = (of: string, read: (pod: Json) => string) =>
        read(pods.find(({ metadata }: Json) => metadata.name === of))
      const ready = time(
        `${name}-0`,
        ({ status }) => status.conditions.find(({ type }: Json) => type === 'Ready').lastTransitionTime,
      )
      expect(time(`${name}-1`, ({ metadata }) => metadata.creationTimestamp) >= ready).toBe(true)
    }),
    behaviour('a new template reaches all pods, and the revision becomes the current one', async bench => {
      const { name, path } = await deploy(bench)
      const before = await complete(bench, path, 2)
      await patch(bench, path, { spec: { template: template(name, 'example.test/main:2') } })
      const after = await until(bench, path, one => {
        expect(one.status.observedGeneration).toBe(2)
        expect(one.status.currentRevision).not.toBe(before.status.currentRevision)
        expect(one.status.readyReplicas).toBe(2)
      })
      expect(after.status.updatedReplicas).toBe(2)
      const images = (await itemsOf(bench, bench.core('pods'), name)).map(
        ({ spec }) => spec.containers[0].image,
      )
      expect(images).toEqual(['example.test/main:2', 'example.test/main:2'])
    }),
    behaviour('a partition keeps the pods below it as they are', async bench => {
      const { name, path } = await deploy(bench)
      await complete(bench, path, 2)
      await patch(bench, path, {
        spec: {
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
          template: template(name, 'example.test/main:2'),
        },
      })
      const { status } = await until(bench, path, one => {
        expect([one.status.updatedReplicas, one.status.currentReplicas]).toEqual([1, 1])
        expect(one.status.readyReplicas).toBe(2)
      })
      expect(status.currentRevision).not.toBe(status.updateRevision)
      const pod = bench.ok(await bench.admin.get(bench.core('pods', `${name}-0`)))
      expect(pod.spec.containers[0].image).toBe('example.test/main:1')
    }),
    behaviour('scaling down takes the highest number', async bench => {
      const { name, path } = await deploy(bench, { replicas: 3 })
      await complete(bench, path, 3)
      await patch(bench, path, { spec: { replicas: 1 } })
      await complete(bench, path, 1)
      const pods = await itemsOf(bench, bench.core('pods'), name)
      expect(pods.map(({ metadata }) => metadata.name)).toEqual([`${name}-0`])
    }),
    behaviour('each pod gets claims of its own, which stay when the set goes', async bench => {
      const { name, path } = await deploy(bench, {
        podManagementPolicy: 'Parallel',
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      })
      const claims = async () =>
        (await itemsOf(bench, bench.core('persistentvolumeclaims'), name)).map(
          ({ metadata }) => metadata.name,
        )
      const wanted = [`data-${name}-0`, `data-${name}-1`]
      await waitFor(async () => expect((await claims()).sort()).toEqual(wanted))
      const pod = bench.ok(await bench.admin.get(bench.core('pods', `${name}-0`)))
      expect(pod.spec.volumes).toContainEqual({
        name: 'data',
        persistentVolumeClaim: { claimName: `data-${name}-0` },
      })
      await bench.admin.delete(path)
      await waitFor(async () => expect(await itemsOf(bench, bench.core('pods'), name)).toEqual([]))
      expect((await claims()).sort()).toEqual(wanted)
    }),
    behaviour('a pod that is deleted comes back under its name', async bench => {
      const { name, path } = await deploy(bench)
      await complete(bench, path, 2)
      const pod = bench.core('pods', `${name}-0`)
      const { uid } = bench.ok(await bench.admin.get(pod)).metadata
      await bench.admin.delete(pod)
      await waitFor(async () => {
        const now = await bench.admin.get(pod)
        expect(now.status).toBe(200)
        expect(now.body.metadata.uid).not.toBe(uid)
      })
      await complete(bench, path, 2)
    }),
  ],
}
