import { eventually, type Json, ok, type ReadBench, syncResources } from './read-bench.js'

/**
 * What lies in the two clusters before the rows run: deployments a … e in the first and d … g in the second (d and e twice),
 * created in this order, with labels, annotations and replicas to select by; and a ReplicaSet owned by the first.
 */
const trees: Readonly<Record<'one' | 'two', readonly string[]>> = {
  one: ['a', 'b', 'c', 'd', 'e'],
  two: ['d', 'e', 'f', 'g'],
}

/** All deployments as `cluster/name`, in the order of cluster and name. */
export const allTrees = Object.entries(trees).flatMap(([cluster, names]) =>
  names.map(name => `${cluster}/${name}`),
)

/** Writes the objects, creates the two PediaClusters and waits until everything is seen. */
export async function plant(k: ReadBench): Promise<void> {
  for (const [index, source] of k.sources.entries()) {
    ok(await source.post('/api/v1/namespaces', { metadata: { name: k.namespace } }))
    for (const name of Object.values(trees)[index] ?? [])
      ok(await source.post(`/apis/apps/v1/namespaces/${k.namespace}/deployments`, tree(name)))
  }
  const owner = ok(await k.sources[0].get(`/apis/apps/v1/namespaces/${k.namespace}/deployments/a`))
  ok(await k.sources[0].post(`/apis/apps/v1/namespaces/${k.namespace}/replicasets`, leaf(owner)))
  for (const index of [0, 1] as const)
    await k.pediaCluster(k.clusters[index], { kubeconfig: k.kubeconfig(index), syncResources })
  for (const name of k.clusters) await k.condition(name, 'Ready', 'True')
  await eventually(async () => {
    const answer = await k.deployments()
    return answer.status === 200 && answer.body.items.length === allTrees.length
  })
}

/** A deployment whose labels, annotation and replicas follow from its name. */
function tree(name: string): Json {
  const rank = name.charCodeAt(0) - 'a'.charCodeAt(0) + 1
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      labels: { tree: name, parity: rank % 2 === 0 ? 'even' : 'odd', ...(rank < 3 ? { early: '' } : {}) },
      annotations: {
        'example.test/rank': String(rank),
        'kubectl.kubernetes.io/last-applied-configuration': '{"kind":"Deployment"}',
      },
    },
    spec: {
      replicas: rank,
      selector: { matchLabels: { tree: name } },
      template: {
        metadata: { labels: { tree: name } },
        spec: { containers: [{ name: 'main', image: 'example.test/main:1' }] },
      },
    },
  }
}

function leaf(owner: Json): Json {
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: 'a-leaf',
      labels: { tree: 'a' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          name: owner.metadata.name,
          uid: owner.metadata.uid,
          controller: true,
        },
      ],
    },
    spec: { replicas: 0, selector: { matchLabels: { tree: 'a' } }, template: owner.spec.template },
  }
}
