import { expect } from 'vitest'
import { waitFor } from '../../../patience.js'
import { type Bench, behaviour, type Group, type Json } from '../../apiserver/behaviour.js'
import { eventsOf, itemsOf, patch, selecting, template, timeless, until, workload } from '../workload.js'

const DEPLOYED = 'deployment.kubernetes.io/'

async function deploy(bench: Bench, spec: Json = {}): Promise<{ name: string; path: string }> {
  const name = bench.name('web')
  await bench.made(
    bench.apps('deployments'),
    workload('apps/v1', 'Deployment', name, selecting(name, { replicas: 2, ...spec })),
  )
  return { name, path: bench.apps('deployments', name) }
}

const complete = (bench: Bench, path: string, replicas: number): Promise<Json> =>
  until(bench, path, ({ status, metadata }) => {
    expect(status.observedGeneration).toBe(metadata.generation)
    expect([status.updatedReplicas, status.readyReplicas, status.replicas]).toEqual(Array(3).fill(replicas))
    expect(status.terminatingReplicas).toBe(0)
  })

const sets = async (bench: Bench, app: string): Promise<Json[]> =>
  (await itemsOf(bench, bench.apps('replicasets'), app)).sort((one, other) => revision(one) - revision(other))
const revision = ({ metadata }: Json): number => Number(metadata.annotations[`${DEPLOYED}revision`])
const image = (name: string, tag: number): Json => ({
  spec: { template: template(name, `example.test/main:${tag}`) },
})

export const deployments: Group = {
  name: 'deployments',
  behaviours: [
    behaviour(
      'a Deployment that is rolled out says so, and its generation is still the first',
      async bench => {
        const { name, path } = await deploy(bench)
        const { metadata, status } = await complete(bench, path, 2)
        const [set] = await sets(bench, name)
        expect(metadata.generation).toBe(1)
        expect(metadata.annotations[`${DEPLOYED}revision`]).toBe('1')
        expect(timeless(status)).toEqual({
          observedGeneration: 1,
          replicas: 2,
          updatedReplicas: 2,
          readyReplicas: 2,
          availableReplicas: 2,
          terminatingReplicas: 0,
          conditions: [
            {
              type: 'Available',
              status: 'True',
              reason: 'MinimumReplicasAvailable',
              message: 'Deployment has minimum availability.',
            },
            {
              type: 'Progressing',
              status: 'True',
              reason: 'NewReplicaSetAvailable',
              message: `ReplicaSet "${set.metadata.name}" has successfully progressed.`,
            },
          ],
        })
      },
    ),
    behaviour('its ReplicaSet carries revision, sizes and the hash of the template', async bench => {
      const { name, path } = await deploy(bench)
      await complete(bench, path, 2)
      const [set] = await sets(bench, name)
      const hash = set.metadata.labels['pod-template-hash']
      expect(set.metadata.name).toBe(`${name}-${hash}`)
      expect(set.metadata.annotations).toEqual({
        [`${DEPLOYED}revision`]: '1',
        [`${DEPLOYED}desired-replicas`]: '2',
        [`${DEPLOYED}max-replicas`]: '3',
      })
      expect(set.spec.selector.matchLabels).toEqual({ app: name, 'pod-template-hash': hash })
      expect(set.status).toEqual({
        replicas: 2,
        fullyLabeledReplicas: 2,
        readyReplicas: 2,
        availableReplicas: 2,
        terminatingReplicas: 0,
        observedGeneration: set.metadata.generation,
      })
    }),
    behaviour('a new template gets a ReplicaSet of its own, and the old one keeps none', async bench => {
      const { name, path } = await deploy(bench)
      await complete(bench, path, 2)
      await patch(bench, path, image(name, 2))
      await complete(bench, path, 2)
      expect((await sets(bench, name)).map(({ spec }) => spec.replicas)).toEqual([0, 2])
      expect(bench.ok(await bench.admin.get(path)).metadata.annotations[`${DEPLOYED}revision`]).toBe('2')
    }),
    behaviour('the template before comes back as the newest revision of its old ReplicaSet', async bench => {
      const { name, path } = await deploy(bench)
      await complete(bench, path, 2)
      for (const tag of [2, 1]) {
        await patch(bench, path, image(name, tag))
        await complete(bench, path, 2)
      }
      const all = await sets(bench, name)
      expect(all.map(revision)).toEqual([2, 3])
      expect(all[1].metadata.annotations[`${DEPLOYED}revision-history`]).toBe('1')
      expect(all.map(({ spec }) => spec.replicas)).toEqual([0, 2])
    }),
    behaviour('a rollout never has more pods than its surge allows', async bench => {
      const { name, path } = await deploy(bench, {
        replicas: 3,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      })
      await complete(bench, path, 3)
      await patch(bench, path, image(name, 2))
      await waitFor(async () => {
        const sizes = (await sets(bench, name)).map(({ spec }) => spec.replicas)
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(4)
        expect(sizes).toEqual([0, 3])
      })
    }),
    behaviour('a Recreate has no pod of the new template before the old ones are gone', async bench => {
      const { name, path } = await deploy(bench, { strategy: { type: 'Recreate' } })
      await complete(bench, path, 2)
      const old = (await itemsOf(bench, bench.core('pods'), name)).map(({ metadata }) => metadata.uid)
      await patch(bench, path, image(name, 2))
      await waitFor(async () => {
        const uids = (await itemsOf(bench, bench.core('pods'), name)).map(({ metadata }) => metadata.uid)
        expect(uids.some(uid => old.includes(uid)) && uids.some(uid => !old.includes(uid))).toBe(false)
        expect(uids.filter(uid => !old.includes(uid))).toHaveLength(2)
      })
    }),
    behaviour('a paused Deployment says so, keeps its template and can be scaled', async bench => {
      const { name, path } = await deploy(bench)
      await complete(bench, path, 2)
      await patch(bench, path, { spec: { paused: true, replicas: 3, ...image(name, 2).spec } })
      const { status } = await until(bench, path, one => expect(one.status.readyReplicas).toBe(3))
      expect(await sets(bench, name)).toHaveLength(1)
      expect(timeless(status).conditions).toContainEqual({
        type: 'Progressing',
        status: 'Unknown',
        reason: 'DeploymentPaused',
        message: 'Deployment is paused',
      })
    }),
    behaviour('a rollout that gets nowhere is late after its deadline', async bench => {
      const name = bench.name('late')
      const stuck = template(name, 'example.test/main:1', { nodeSelector: { nowhere: 'true' } })
      await bench.made(
        bench.apps('deployments'),
        workload('apps/v1', 'Deployment', name, {
          ...selecting(name),
          template: stuck,
          replicas: 1,
          progressDeadlineSeconds: 1,
        }),
      )
      const { status } = await until(bench, bench.apps('deployments', name), one =>
        expect(one.status?.conditions ?? []).toContainEqual(
          expect.objectContaining({ type: 'Progressing', status: 'False' }),
        ),
      )
      expect(timeless(status).conditions).toContainEqual({
        type: 'Progressing',
        status: 'False',
        reason: 'ProgressDeadlineExceeded',
        message: expect.stringMatching(/^ReplicaSet "late-.*" has timed out progressing\.$/),
      })
      expect(status.unavailableReplicas).toBe(1)
    }),
    behaviour('its Events tell how its ReplicaSets grew, and theirs which pods they made', async bench => {
      const { name, path } = await deploy(bench)
      await complete(bench, path, 2)
      const [set] = await sets(bench, name)
      const pods = await itemsOf(bench, bench.core('pods'), name)
      await waitFor(async () => {
        expect(await eventsOf(bench, name)).toEqual([
          `ScalingReplicaSet: Scaled up replica set ${set.metadata.name} from 0 to 2`,
        ])
        expect((await eventsOf(bench, set.metadata.name)).sort()).toEqual(
          pods.map(({ metadata }) => `SuccessfulCreate: Created pod: ${metadata.name}`).sort(),
        )
      })
    }),
    behaviour('old ReplicaSets beyond the history limit are deleted', async bench => {
      const { name, path } = await deploy(bench, { replicas: 1, revisionHistoryLimit: 1 })
      for (const tag of [2, 3, 4]) {
        await complete(bench, path, 1)
        await patch(bench, path, image(name, tag))
      }
      await waitFor(async () => expect((await sets(bench, name)).map(revision)).toEqual([3, 4]))
    }),
  ],
}
