import { describe, expect, it } from 'vitest'
import { ExitCode } from '../../../cli/exit-code.js'
import { listClusters } from '../../../cli/objects/clusters.js'
import { listPolicies } from '../../../cli/objects/policies.js'
import { listWorkloads } from '../../../cli/objects/workloads.js'
import { type Config, defaults } from '../../../config.js'
import { asking } from '../scripted-client.js'

const root = '/apis/kairship.io/v1alpha1/instances/eu'
const config = (given: Partial<Config> = {}): Config => ({ ...defaults('clusters'), ...given })

/** A Kairship that has these lists by path, each item on a page of its own; others are empty. */
function having(lists: Readonly<Record<string, readonly object[]>>) {
  const answers = asking({
    async get(target) {
      const [path = '', query] = target.split('?')
      const items = lists[path.replace(root, '')] ?? []
      const page = Number(new URLSearchParams(query).get('pageToken'))
      const next = page + 1 < items.length ? { nextPageToken: String(page + 1) } : {}
      return { items: items.slice(page, page + 1), pagination: next }
    },
  })
  const printed: string[] = []
  const out = (text: string): void => void printed.push(text)
  return { ...answers, out, err: out, printed: () => printed.join('') }
}

const cluster = {
  metadata: { name: 'eu-a', creationTimestamp: '1000', labels: { zone: '1' } },
  spec: { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }], apiEndpoint: 'https://10.0.0.2' },
  status: {
    kubernetesVersion: 'v1.34.2',
    phase: 'RUNNING',
    cpuUsage: 0.254,
    memoryUsage: 0.5,
    totalNodes: 3,
    readyNodes: 2,
    conditions: [{ type: 'Ready', status: 'True' }],
  },
  fieldOfTomorrow: 1,
}
const template = {
  spec: { containers: [{ image: 'nginx:1.27' }, { image: 'nginx:1.27' }, { image: 'envoy:1' }] },
}
const web = {
  metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
  spec: { template },
  status: {
    readyReplicas: 1,
    desiredReplicas: 3,
    clusters: [{ name: 'eu-a', readyReplicas: 1, health: 'Unhealthy' }],
  },
}
const agent = {
  metadata: { name: 'agent', namespace: 'system' },
  spec: { template },
  status: { numberReady: 2, desiredNumberScheduled: 2 },
}
const workloads = { '/deployments': [web], '/daemonsets': [agent] }

describe('clusters', () => {
  it('shows what a platform engineer looks for', async () => {
    const it = having({ '/clusters': [cluster, { metadata: { name: 'eu-b' } }] })
    expect(await listClusters(it, config(), ['eu'])).toBe(ExitCode.ok)
    expect(it.printed()).toBe(`\
NAME   READY     VERSION   NODES   CPU   MEMORY   TAINTS               AGE
eu-a   True      v1.34.2   2/3     25%   50%      gpu=yes:NoSchedule   90s
eu-b   Unknown   -         -       -     -        -                    -
`)
  })

  it('says why one is not ready, and not what a ready one reports', async () => {
    const of = (name: string, status: string) => ({
      ...cluster,
      metadata: { name },
      status: { conditions: [{ type: 'Ready', status, message: `${name} reports` }] },
    })
    const it = having({ '/clusters': [of('up', 'True'), of('down', 'False')] })
    await listClusters(it, config({ output: 'wide' }), ['eu'])
    expect(it.printed()).toContain('down reports')
    expect(it.printed()).not.toContain('up reports')
  })

  it('prints a list where none is named, also of one object', async () => {
    const it = having({ '/clusters': [cluster] })
    await listClusters(it, config({ output: 'json' }), ['eu'])
    expect(JSON.parse(it.printed())).toMatchObject({ kind: 'List', items: [{ kind: 'Cluster' }] })
  })

  it('prints one object as the server sent it, in the form of Kubernetes', async () => {
    const it = having({ '/clusters': [cluster] })
    await listClusters(it, config({ output: 'json' }), ['eu', 'eu-a'])
    expect(JSON.parse(it.printed())).toMatchObject({
      apiVersion: 'cluster.karmada.io/v1alpha1',
      kind: 'Cluster',
      metadata: { name: 'eu-a', creationTimestamp: '1970-01-01T00:00:01Z' },
      fieldOfTomorrow: 1,
    })
  })

  it('says which one is not there', async () => {
    const listed = listClusters(having({ '/clusters': [cluster] }), config(), ['eu', 'eu-a', 'eu-z'])
    await expect(listed).rejects.toMatchObject({
      exitCode: ExitCode.notFound,
      message: 'instance eu has no such cluster: eu-z',
    })
  })

  it('selects by labels', async () => {
    const it = having({ '/clusters': [cluster, { metadata: { name: 'eu-b' } }] })
    await listClusters(it, config({ selector: 'zone=1', output: 'name' }), ['eu'])
    expect(it.printed()).toBe('cluster.cluster.karmada.io/eu-a\n')
  })
})

describe('workloads', () => {
  it('shows replicas over all clusters, and each image once', async () => {
    const it = having(workloads)
    await listWorkloads(it, config({ output: 'wide' }), ['eu'])
    expect(it.printed()).toBe(`\
NAMESPACE   KIND         NAME    READY   CLUSTERS   TEMPLATE IMAGES      AGE   WHERE
shop        Deployment   web     1/3     1          nginx:1.27,envoy:1   -     eu-a=1 unhealthy
system      DaemonSet    agent   2/2     0          nginx:1.27,envoy:1   -     -
`)
  })

  it('narrows to a namespace, and says when nothing is left', async () => {
    const some = having(workloads)
    await listWorkloads(some, config({ inNamespace: 'system', output: 'name' }), ['eu'])
    expect(some.printed()).toBe('daemonset.apps/agent\n')
    const none = having(workloads)
    await listWorkloads(none, config({ inNamespace: 'nowhere' }), ['eu'])
    expect(none.printed()).toBe('No workloads in namespace "nowhere".\n')
    const empty = having({})
    await listWorkloads(empty, config(), ['eu'])
    expect(empty.printed()).toBe('No workloads.\n')
  })

  it.each(['deployment/web', 'deploy/web', 'Deployments/web', 'deployment.apps/web', 'web'])(
    'are named as kubectl names them: %s',
    async word => {
      const it = having({
        ...workloads,
        '/statefulsets': [{ metadata: { name: 'web', namespace: 'system' } }],
      })
      await listWorkloads(it, config({ output: 'name' }), ['eu', word])
      expect(it.printed()).toBe(`deployment.apps/web\n${word === 'web' ? 'statefulset.apps/web\n' : ''}`)
    },
  )

  it('are refused by a type that is not listed, with the types that are', async () => {
    const listed = listWorkloads(having(workloads), config(), ['eu', 'deploymnet/web'])
    await expect(listed).rejects.toMatchObject({
      exitCode: ExitCode.usage,
      message:
        '"deploymnet/web" names no object that is listed here (Did you mean deployment?): write NAME, or TYPE/NAME with one of deployment, statefulset, daemonset',
    })
    const other = listWorkloads(having(workloads), config({ inNamespace: 'shpo' }), ['eu', 'daemonset/web'])
    await expect(other).rejects.toMatchObject({
      exitCode: ExitCode.notFound,
      message: 'instance eu has no such workload in namespace "shpo": daemonset/web',
    })
  })
})

describe('policies', () => {
  it('say what they select and what they do with it', async () => {
    const propagation = {
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        resourceSelectors: [
          { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
          { kind: 'ConfigMap', labelSelector: { matchLabels: { a: 'b' } } },
        ],
        placement: {
          clusterAffinity: { clusterNames: ['eu-a', 'eu-b'] },
          replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' },
        },
      },
    }
    const everywhere = {
      metadata: { name: 'all' },
      spec: {
        resourceSelectors: [{ kind: 'Secret', namespace: 'shop' }],
        placement: { clusterAffinities: [{ clusterNames: ['eu-a'] }, { exclude: ['eu-c'] }] },
      },
    }
    const override = {
      metadata: { name: 'mirror', namespace: 'shop' },
      spec: { overrideRules: [{ targetCluster: { clusterNames: ['eu-b'] } }, {}] },
    }
    const it = having({
      '/propagationpolicies': [propagation],
      '/clusterpropagationpolicies': [everywhere],
      '/overridepolicies': [override],
    })
    await listPolicies(it, config(), ['eu'])
    expect(
      it
        .printed()
        .split('\n')
        .map(line => line.split(/ {3,}/)),
    ).toEqual([
      ['NAMESPACE', 'KIND', 'NAME', 'SELECTS', 'DOES', 'AGE'],
      [
        '-',
        'ClusterPropagationPolicy',
        'all',
        'Secret shop/*',
        'to eu-a, else all clusters without eu-c',
        '-',
      ],
      [
        ...['shop', 'PropagationPolicy', 'web', 'Deployment web, ConfigMap by labels'],
        ...['to eu-a, eu-b, replicas divided by weight', '-'],
      ],
      ['shop', 'OverridePolicy', 'mirror', 'everything', 'overrides in eu-b; all clusters', '-'],
      [''],
    ])
  })

  it('say with -o wide how replicas are divided, and what is changed', async () => {
    const it = having({
      '/propagationpolicies': [
        {
          metadata: { name: 'web', namespace: 'shop' },
          spec: {
            priority: 7,
            propagateDeps: true,
            preserveResourcesOnDeletion: true,
            placement: {
              spreadConstraints: [{ spreadByField: 'region', maxGroups: '2' }, { spreadByLabel: 'rack' }],
              replicaScheduling: {
                replicaSchedulingType: 'Divided',
                replicaDivisionPreference: 'Weighted',
                weightPreference: { dynamicWeight: 'AvailableReplicas' },
              },
            },
          },
        },
      ],
      '/overridepolicies': [
        {
          metadata: { name: 'mirror', namespace: 'shop' },
          spec: { overriders: { imageOverrider: [{}], plaintext: [{ path: '/spec/replicas' }] } },
        },
      ],
    })
    await listPolicies(it, config({ output: 'wide', noHeaders: true }), ['eu'])
    const wide = it
      .printed()
      .split('\n')
      .map(line => line.split(/ {3,}/).slice(6))
    expect(wide).toEqual([
      [
        'Divided, Weighted by AvailableReplicas',
        'region 1-2, rack 1+',
        'priority 7, with dependencies, leaves objects in members',
      ],
      ['-', '-', 'changes image, /spec/replicas'],
      [],
    ])
  })
})

it.each(['pod/web', 'deployment/', 'a/b/c'])(
  '%s names no workload, and is refused with the expected form',
  async name => {
    const listed = listWorkloads(having(workloads), config(), ['eu', name])
    await expect(listed).rejects.toMatchObject({
      exitCode: ExitCode.usage,
      message: expect.stringContaining('TYPE/NAME with one of deployment, statefulset, daemonset'),
    })
  },
)
