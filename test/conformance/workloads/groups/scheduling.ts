import { expect } from 'vitest'
import { waitFor } from '../../../patience.js'
import { type Bench, behaviour, type Group, type Json } from '../../apiserver/behaviour.js'
import { eventsOf, until } from '../workload.js'

async function pod(bench: Bench, spec: Json): Promise<string> {
  const name = bench.name('pod')
  const containers = [{ name: 'main', image: 'example.test/main:1' }]
  const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers, ...spec } }
  await bench.made(bench.core('pods'), body)
  return name
}

const asking = (requests: Json) => [{ name: 'main', image: 'example.test/main:1', resources: { requests } }]
const nodesOf = async (bench: Bench): Promise<number> =>
  bench.ok(await bench.admin.get('/api/v1/nodes')).items.length

/** Waits until a pod is told why it stays, as its condition and as an Event. */
async function unschedulable(bench: Bench, name: string): Promise<string> {
  const { status } = await until(bench, bench.core('pods', name), one =>
    expect(one.status.conditions?.[0]?.reason).toBe('Unschedulable'),
  )
  const [condition] = status.conditions
  expect([status.phase, condition.type, condition.status]).toEqual(['Pending', 'PodScheduled', 'False'])
  await waitFor(async () =>
    expect(await eventsOf(bench, name)).toContain(`FailedScheduling: ${condition.message}`),
  )
  return condition.message
}

export const scheduling: Group = {
  name: 'scheduling',
  behaviours: [
    behaviour('a pod that fits is put on a node, runs and is ready', async bench => {
      const name = await pod(bench, {})
      const { status, spec } = await until(bench, bench.core('pods', name), one =>
        expect(one.status.phase).toBe('Running'),
      )
      expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }))
      expect(await eventsOf(bench, name)).toContain(
        `Scheduled: Successfully assigned ${bench.namespace}/${name} to ${spec.nodeName}`,
      )
    }),
    behaviour('a pod that asks for more than any node has waits, and is told why', async bench => {
      const name = await pod(bench, { containers: asking({ cpu: '900', memory: '1Mi' }) })
      const count = await nodesOf(bench)
      expect(await unschedulable(bench, name)).toMatch(
        `0/${count} nodes are available: ${count} Insufficient cpu.`,
      )
    }),
    behaviour('a pod is told every resource that there is too little of', async bench => {
      const name = await pod(bench, { containers: asking({ cpu: '900', memory: '900Ti' }) })
      const count = await nodesOf(bench)
      expect(await unschedulable(bench, name)).toMatch(
        `0/${count} nodes are available: ${count} Insufficient cpu, ${count} Insufficient memory.`,
      )
    }),
    behaviour('a pod that wants a node which is not there waits, and is told why', async bench => {
      const name = await pod(bench, { nodeSelector: { nowhere: 'true' } })
      const count = await nodesOf(bench)
      expect(await unschedulable(bench, name)).toMatch(
        `0/${count} nodes are available: ${count} node(s) didn't match Pod's node affinity/selector.`,
      )
    }),
    behaviour('a pod whose claim does not exist waits, and is told why', async bench => {
      const name = await pod(bench, {
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'missing' } }],
      })
      expect(await unschedulable(bench, name)).toMatch('persistentvolumeclaim "missing" not found')
    }),
    behaviour('a pod with a scheduler of its own is left alone', async bench => {
      const name = await pod(bench, { schedulerName: 'another' })
      const other = await pod(bench, {})
      await until(bench, bench.core('pods', other), one => expect(one.spec.nodeName).toBeDefined())
      expect(bench.ok(await bench.admin.get(bench.core('pods', name))).spec.nodeName).toBeUndefined()
    }),
  ],
}
