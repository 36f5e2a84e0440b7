import { expect } from 'vitest'
import { waitFor } from '../../../patience.js'
import { type Bench, behaviour, type Group, type Json } from '../../apiserver/behaviour.js'
import { itemsOf, patch, selecting, template, until, workload } from '../workload.js'

async function deploy(
  bench: Bench,
  spec: Json = {},
): Promise<{ name: string; path: string; nodes: string[] }> {
  const name = bench.name('agent')
  const nodes = bench
    .ok(await bench.admin.get('/api/v1/nodes'))
    .items.map(({ metadata }: Json) => metadata.name)
  await bench.made(bench.apps('daemonsets'), workload('apps/v1', 'DaemonSet', name, selecting(name, spec)))
  return { name, path: bench.apps('daemonsets', name), nodes }
}

const complete = (bench: Bench, path: string, count: number): Promise<Json> =>
  until(bench, path, ({ status, metadata }) => {
    expect(status.observedGeneration).toBe(metadata.generation)
    expect([status.updatedNumberScheduled, status.numberAvailable]).toEqual([count, count])
  })

export const daemonSets: Group = {
  name: 'daemonsets',
  behaviours: [
    behaviour('a DaemonSet has a pod on each node, and says so', async bench => {
      const { name, path, nodes } = await deploy(bench)
      const count = nodes.length
      expect((await complete(bench, path, count)).status).toEqual({
        currentNumberScheduled: count,
        desiredNumberScheduled: count,
        numberMisscheduled: 0,
        numberReady: count,
        numberAvailable: count,
        updatedNumberScheduled: count,
        observedGeneration: 1,
      })
      const pods = await itemsOf(bench, bench.core('pods'), name)
      expect(pods.map(({ spec }) => spec.nodeName).sort()).toEqual(nodes.sort())
      expect(pods[0].metadata.labels['pod-template-generation']).toBe('1')
    }),
    behaviour('a new template reaches every node', async bench => {
      const { name, path, nodes } = await deploy(bench)
      await complete(bench, path, nodes.length)
      await patch(bench, path, { spec: { template: template(name, 'example.test/main:2') } })
      await complete(bench, path, nodes.length)
      await waitFor(async () => {
        const pods = await itemsOf(bench, bench.core('pods'), name)
        expect(pods.map(({ spec }) => spec.containers[0].image)).toEqual(
          nodes.map(() => 'example.test/main:2'),
        )
      })
      const revisions = await itemsOf(bench, bench.apps('controllerrevisions'), name)
      expect(revisions.map(({ revision }) => revision).sort()).toEqual([1, 2])
    }),
    behaviour('nodes that its selector does not choose have no pod', async bench => {
      const name = bench.name('nowhere')
      const body = selecting(name)
      body.template = template(name, 'example.test/main:1', { nodeSelector: { nowhere: 'true' } })
      await bench.made(bench.apps('daemonsets'), workload('apps/v1', 'DaemonSet', name, body))
      const { status } = await until(bench, bench.apps('daemonsets', name), one =>
        expect(one.status.observedGeneration).toBe(1),
      )
      expect(status.desiredNumberScheduled).toBe(0)
      expect(await itemsOf(bench, bench.core('pods'), name)).toEqual([])
    }),
  ],
}
