import { expect } from 'vitest'
import { waitFor } from '../../../patience.js'
import { type Bench, behaviour, type Group, type Json } from '../../apiserver/behaviour.js'
import { selecting, workload } from '../workload.js'

const slicesPath = (bench: Bench): string =>
  `/apis/discovery.k8s.io/v1/namespaces/${bench.namespace}/endpointslices`

const slices = async (bench: Bench, service: string): Promise<Json[]> =>
  bench.ok(
    await bench.admin.get(slicesPath(bench), { labelSelector: `kubernetes.io/service-name=${service}` }),
  ).items

async function serve(bench: Bench, spec: Json = {}): Promise<string> {
  const name = bench.name('web')
  await bench.made(bench.core('services'), {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
  })
  return name
}

export const services: Group = {
  name: 'services',
  behaviours: [
    behaviour('the pods that a Service selects are the endpoints of its slice', async bench => {
      const name = await serve(bench)
      const body = selecting(name, { replicas: 2 })
      await bench.made(bench.apps('deployments'), workload('apps/v1', 'Deployment', name, body))
      const [slice] = await waitFor(async () => {
        const found = await slices(bench, name)
        const ready = found[0]?.endpoints?.filter(({ conditions }: Json) => conditions.ready) ?? []
        expect(ready).toHaveLength(2)
        return found
      })
      const pods = bench.ok(await bench.admin.get(bench.core('pods'), { labelSelector: `app=${name}` })).items
      const byName = (one: Json, other: Json) => (one.targetRef.name < other.targetRef.name ? -1 : 1)
      expect(slice.endpoints.sort(byName)).toEqual(
        pods
          .map(({ metadata, spec, status }: Json) => ({
            addresses: [status.podIP],
            conditions: { ready: true, serving: true, terminating: false },
            nodeName: spec.nodeName,
            targetRef: {
              kind: 'Pod',
              namespace: bench.namespace,
              name: metadata.name,
              uid: metadata.uid,
            },
          }))
          .sort(byName),
      )
      expect(slice.ports).toEqual([{ name: '', port: 8080, protocol: 'TCP' }])
      expect(slice.addressType).toBe('IPv4')
      expect(slice.metadata.labels['endpointslice.kubernetes.io/managed-by']).toBe(
        'endpointslice-controller.k8s.io',
      )
    }),
    behaviour('a Service that selects nothing that is there has a slice without endpoints', async bench => {
      const name = await serve(bench)
      await waitFor(async () => {
        const [slice] = await slices(bench, name)
        expect(slice).toBeDefined()
        expect(slice.endpoints ?? []).toEqual([])
      })
    }),
    behaviour('a Service goes with its slices', async bench => {
      const name = await serve(bench)
      await waitFor(async () => expect(await slices(bench, name)).toHaveLength(1))
      await bench.admin.delete(bench.core('services', name))
      await waitFor(async () => expect(await slices(bench, name)).toEqual([]))
    }),
  ],
}
