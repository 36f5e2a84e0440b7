import { resourcePath } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { type Distribution, distribution } from '../load.js'

const NAMESPACE = 'bench-placement'
const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' } as const
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' } as const
const POLICIES = { group: 'policy.karmada.io', version: 'v1alpha1', resource: 'propagationpolicies' } as const
const REPLICAS = 4
/** A Deployment that is not ready by then never will be. */
const PATIENCE_MS = 120_000

interface Deployment {
  readonly metadata: { readonly name: string; readonly resourceVersion: string }
  readonly status?: { readonly readyReplicas?: number }
}

/**
 * Milliseconds from the creation of a Deployment in a control plane of Karmada until its status counts each replica in each
 * member as ready. Its policy, Duplicated to all members, exists before; one Deployment follows the other, and the first, which waits
 * for its namespace in the members, is not counted.
 */
export async function measureReady(api: KubeApi, members: number, rounds: number): Promise<Distribution> {
  const times: number[] = []
  await api.request({ method: 'POST', path: resourcePath(NAMESPACES), body: namespace })
  try {
    await api.request({
      method: 'POST',
      path: resourcePath(POLICIES, { namespace: NAMESPACE }),
      body: policy,
    })
    for (let round = 0; round <= rounds; round++)
      times.push(await timeToReady(api, `web-${round}`, REPLICAS * members))
  } finally {
    await api.request({ method: 'DELETE', path: resourcePath(NAMESPACES, { name: NAMESPACE }) })
  }
  return distribution(times.slice(1))
}

async function timeToReady(api: KubeApi, name: string, wanted: number): Promise<number> {
  const path = resourcePath(DEPLOYMENTS, { namespace: NAMESPACE })
  const began = performance.now()
  const created = await api.request<Deployment>({ method: 'POST', path, body: deployment(name) })
  const query = {
    fieldSelector: `metadata.name=${name}`,
    resourceVersion: created.metadata.resourceVersion,
  }
  for await (const { type, object } of api.watch({ path, query, signal: AbortSignal.timeout(PATIENCE_MS) })) {
    if (type !== 'MODIFIED') continue
    if ((object as Deployment).status?.readyReplicas === wanted) return performance.now() - began
  }
  throw new Error(`the watch of ${name} ended before its ${wanted} replicas were ready`)
}

const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }

const policy = {
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { name: 'everywhere' },
  spec: {
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
    placement: { replicaScheduling: { replicaSchedulingType: 'Duplicated' } },
  },
}

const deployment = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: REPLICAS,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          { name: 'main', image: 'nginx:1.27', resources: { requests: { cpu: '10m', memory: '16Mi' } } },
        ],
      },
    },
  },
})
