import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ApiClient } from '../api-client.js'
import { control, type EngineAction } from '../control.js'
import type { EngineProcess } from '../engine-process.js'
import { clusters, saysWhatKarmadaSays } from '../figures.js'
import { joinMember, memberReady } from '../join-member.js'
import { adopt, installKairship, kairshipNamespace, startKairship } from '../kairship.js'
import { eventually } from '../probe.js'

// biome-ignore lint/suspicious/noExplicitAny: objects of every shape are read here
type Json = any

const instances = '/apis/kairship.io/v1alpha1/instances'
const canary = '/api/v1/namespaces/kube-system/configmaps/kairship-index-canary'
const east = 'karmada-east'
const west = 'karmada-west'

/** Kairship over two real Karmada instances, from adoption to deletion, with every engine killed on the way. */
describe('Kairship on the real stack', () => {
  const stack = inject('stack')
  const host = new ApiClient(stack.host)
  const client = (name: string): ApiClient => {
    const credentials = stack.karmadas[name] ?? stack.members[name]
    if (credentials === undefined) throw new Error(`the stack lacks ${name}`)
    return new ApiClient(credentials)
  }
  const [karmadaEast, karmadaWest] = [client(east), client(west)]
  let kairship: EngineProcess

  const engine = (name: string, action: EngineAction): Promise<void> => control(stack.control, name, action)
  const instance = (name: string): Promise<Json> => host.must('GET', `${instances}/${name}`)
  const condition = async (name: string, type: string): Promise<Json> =>
    (await instance(name)).status?.conditions?.find((condition: Json) => condition.type === type)
  const inPhase = async (name: string, phase: string, timeoutMs = 240_000): Promise<void> =>
    eventually(async () => (await instance(name)).status?.phase === phase, `${name} ${phase}`, timeoutMs)

  /** Breaks engines, checks what is to be seen then, and mends them whatever was seen. */
  async function broken(
    engines: readonly string[],
    action: 'crash' | 'stop',
    check: () => Promise<void>,
  ): Promise<void> {
    await Promise.all(engines.map(name => engine(name, action)))
    try {
      await check()
    } finally {
      for (const name of engines) await engine(name, 'start')
    }
  }

  beforeAll(async () => {
    await installKairship(host)
    kairship = await startKairship(host, `${stack.folder}/kairship`, 'lifecycle')
  })

  afterAll(async () => {
    await kairship?.stop()
    for (const one of [host, karmadaEast, karmadaWest]) await one.close()
  })

  it('adopts two Karmada instances and brings both to Ready through their PediaClusters', async () => {
    await adopt(host, stack, east)
    await adopt(host, stack, west)
    await Promise.all([inPhase(east, 'Ready'), inPhase(west, 'Ready')])
    for (const name of [east, west]) {
      const pedia = await host.must<Json>(
        'GET',
        `/apis/cluster.clusterpedia.io/v1alpha2/pediaclusters/k-${name}`,
      )
      const ready = pedia.status.conditions.find(({ type }: Json) => type === 'Ready')
      expect(ready.status).toBe('True')
      const { status, metadata } = await instance(name)
      expect(metadata.finalizers).toEqual(['kairship.io/instance-controller'])
      expect(status).toMatchObject({ endpoint: stack.karmadas[name]?.url, kubernetesVersion: 'v1.36.2' })
    }
  })

  it('counts the same resources as Karmada', async () => {
    await saysWhatKarmadaSays(() => instance(east), karmadaEast)
    // Two members of two nodes with 16 cores each.
    const { clusterSummary, nodeSummary, resourceSummary } = (await instance(east)).status.summary
    expect(clusterSummary).toEqual({ totalNum: 2, readyNum: 2 })
    expect(nodeSummary).toEqual({ totalNum: 4, readyNum: 4 })
    expect(resourceSummary.allocatable.cpu).toBe('64')
  })

  it('updates its figures when a member leaves and joins', async () => {
    const count = async (total: number): Promise<void> =>
      eventually(
        async () => (await instance(east)).status.summary.clusterSummary.totalNum === total,
        `${total} members counted`,
      )
    await karmadaEast.must('DELETE', `${clusters}/member-2`)
    await eventually(
      async () => (await karmadaEast.send('GET', `${clusters}/member-2`)).status === 404,
      'member-2 left',
    )
    await count(1)
    // The garbage collector takes them after the Cluster: put there again before that, they would go all the same.
    for (const secret of ['member-2', 'member-2-impersonator'])
      await eventually(async () => {
        const path = `/api/v1/namespaces/karmada-cluster/secrets/${secret}`
        return (await karmadaEast.send('GET', path)).status === 404
      }, `the Secret ${secret} collected`)
    const member = client('member-2')
    await joinMember({ name: east, client: karmadaEast }, { name: 'member-2', client: member })
    await memberReady({ name: east, client: karmadaEast }, 'member-2')
    await count(2)
    await member.close()
  })

  it('writes nothing while nothing changes', async () => {
    // What the last test set in motion must have been written first.
    let before = (await instance(west)).metadata.resourceVersion
    await eventually(async () => {
      await new Promise(resolve => setTimeout(resolve, 12_000))
      const now = (await instance(west)).metadata.resourceVersion
      const quiet = now === before
      before = now
      return quiet
    }, 'twelve seconds without a write')
    expect((await instance(west)).status.phase).toBe('Ready')
  })

  it('reports a killed Karmada API server, keeps the other instance ready, and recovers', async () => {
    await broken([`${east}-kube-apiserver`], 'crash', async () => {
      await inPhase(east, 'Degraded')
      await eventually(
        async () => (await condition(east, 'ControlPlaneHealthy')).status === 'False',
        'the control plane called unhealthy',
      )
      await eventually(
        async () => (await condition(east, 'Ready')).message.includes('ControlPlaneHealthy'),
        'the cause named',
      )
      expect(await condition(west, 'ControlPlaneHealthy')).toMatchObject({ status: 'True' })
      await inPhase(west, 'Ready')
    })
    await inPhase(east, 'Ready')
  })

  it('reports an aggregated API that is down while policies still work', async () => {
    await broken([`${west}-aggregated-apiserver`], 'stop', async () => {
      await eventually(
        async () => (await condition(west, 'AggregatedAPIHealthy')).status === 'False',
        'the aggregated API called unhealthy',
      )
      await eventually(
        async () => (await condition(west, 'ControlPlaneHealthy')).status === 'True',
        'the control plane called healthy',
      )
      const policies = '/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies'
      await karmadaWest.must('POST', policies, {
        apiVersion: 'policy.karmada.io/v1alpha1',
        kind: 'PropagationPolicy',
        metadata: { name: 'meanwhile' },
        spec: {
          resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'nothing' }],
          placement: {},
        },
      })
      await karmadaWest.must('DELETE', `${policies}/meanwhile`)
    })
    await inPhase(west, 'Ready')
  })

  it('reports a killed manager of Clusterpedia although its status stays healthy, and recovers', async () => {
    await broken(['clusterpedia-clustersynchro-manager'], 'crash', async () => {
      await Promise.all([inPhase(east, 'Degraded'), inPhase(west, 'Degraded')])
      for (const name of [east, west]) {
        await eventually(async () => {
          const { status, reason } = await condition(name, 'VirtualClusterSynced')
          const { status: healthy } = await condition(name, 'ControlPlaneHealthy')
          return status === 'False' && reason === 'Stalled' && healthy === 'True'
        }, `the index of ${name} called stalled, and nothing else`)
        const pedia = await host.must<Json>(
          'GET',
          `/apis/cluster.clusterpedia.io/v1alpha2/pediaclusters/k-${name}`,
        )
        expect(pedia.status.conditions.find(({ type }: Json) => type === 'Ready').status).toBe('True')
      }
    })
    await Promise.all([inPhase(east, 'Ready'), inPhase(west, 'Ready')])
  })

  it('has a canary in each instance that no policy propagates, even one that selects it by name', async () => {
    const taken = '/api/v1/namespaces/default/configmaps'
    const policies = '/apis/policy.karmada.io/v1alpha1/clusterpropagationpolicies'
    const binding = (namespace: string, name: string): string =>
      `/apis/work.karmada.io/v1alpha2/namespaces/${namespace}/resourcebindings/${name}-configmap`
    await eventually(async () => (await karmadaEast.send('GET', canary)).status === 200, 'a canary')
    await karmadaEast.must('POST', policies, {
      apiVersion: 'policy.karmada.io/v1alpha1',
      kind: 'ClusterPropagationPolicy',
      metadata: { name: 'take' },
      spec: {
        resourceSelectors: [
          { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'kube-system', name: 'kairship-index-canary' },
          { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'taken' },
        ],
        placement: {},
      },
    })
    await karmadaEast.must('POST', taken, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'taken', namespace: 'default' },
    })
    try {
      await eventually(
        async () => (await karmadaEast.send('GET', binding('default', 'taken'))).status === 200,
        'a selected ConfigMap bound',
      )
      const { status } = await karmadaEast.send('GET', binding('kube-system', 'kairship-index-canary'))
      expect(status).toBe(404)
    } finally {
      await karmadaEast.must('DELETE', `${taken}/taken`)
      await karmadaEast.must('DELETE', `${policies}/take`)
    }
  })

  it('continues after the host’s API server was killed', async () => {
    await broken(['host-kube-apiserver'], 'crash', async () => {
      expect(kairship.pid).toBeDefined()
    })
    await Promise.all([inPhase(east, 'Ready'), inPhase(west, 'Ready')])
    expect(kairship.pid).toBeDefined()
  })

  it('is Ready again after an instance’s engines, Clusterpedia and the host went down together', async () => {
    const engines = [
      // The host first: the others cannot start without it.
      'host-kube-apiserver',
      `${east}-kube-apiserver`,
      `${east}-aggregated-apiserver`,
      'clusterpedia-apiserver',
      'clusterpedia-clustersynchro-manager',
    ]
    await broken(engines, 'crash', async () => {
      expect(kairship.pid).toBeDefined()
    })
    await eventually(
      async () =>
        (await instance(east)).status?.phase === 'Ready' && (await instance(west)).status?.phase === 'Ready',
      'both instances Ready again',
    )
  })

  it('after SIGKILL the next process finds the same state and writes nothing', async () => {
    const pedia = `/apis/cluster.clusterpedia.io/v1alpha2/pediaclusters/k-${west}`
    const before = await host.must<Json>('GET', pedia)
    await kairship.crash()
    await kairship.start()
    // The phase may still be what the process before it wrote: this one answers a change.
    const { metadata } = await host.must<Json>(
      'PATCH',
      `${instances}/${west}`,
      { spec: { alias: 'after kill -9' } },
      { 'content-type': 'application/merge-patch+json' },
    )
    await eventually(async () => {
      const { status } = await instance(west)
      return status.observedGeneration >= metadata.generation && status.phase === 'Ready'
    }, 'west followed and Ready')
    const after = await host.must<Json>('GET', pedia)
    expect(after.metadata.uid).toBe(before.metadata.uid)
    expect(after.metadata.generation).toBe(before.metadata.generation)
  })

  it('reports credentials that are refused, and recovers when they are accepted again', async () => {
    const secret = `/api/v1/namespaces/${kairshipNamespace}/secrets/${west}`
    const { data } = await host.must<{ data: { kubeconfig: string } }>('GET', secret)
    const patch = (kubeconfig: string): Promise<unknown> =>
      host.must('PATCH', secret, { data: { kubeconfig } }, { 'content-type': 'application/merge-patch+json' })
    await patch(Buffer.from('nonsense: [').toString('base64'))
    await eventually(
      async () => (await condition(west, 'CredentialsResolved')).status === 'False',
      'the credentials called unusable',
    )
    await patch(data.kubeconfig)
    await eventually(
      async () => (await condition(west, 'CredentialsResolved')).status === 'True',
      'the credentials called usable',
    )
    await inPhase(west, 'Ready')
  })

  it('deletes everything, even when the process is killed in the middle', async () => {
    await host.must('DELETE', `${instances}/${east}`)
    await kairship.crash()
    await kairship.start()
    await host.must('DELETE', `${instances}/${west}`)
    for (const name of [east, west]) {
      const gone = async (path: string): Promise<boolean> => (await host.send('GET', path)).status === 404
      await eventually(() => gone(`${instances}/${name}`), `${name} gone`)
      expect(await gone(`/apis/cluster.clusterpedia.io/v1alpha2/pediaclusters/k-${name}`)).toBe(true)
      expect(await gone(`/apis/kairship.io/v1alpha1/instanceregistrations/${name}`)).toBe(true)
      // What was adopted is left as it was: Karmada still serves, and no object there names Kairship.
      const karmada = name === east ? karmadaEast : karmadaWest
      await eventually(() => karmada.answers('/readyz'), `${name} serving`)
      expect((await karmada.send('GET', canary)).status).toBe(404)
      for (const kind of ['clusterroles', 'clusterrolebindings']) {
        const { items } = await karmada.must<{ items: Json[] }>(
          'GET',
          `/apis/rbac.authorization.k8s.io/v1/${kind}`,
        )
        expect(items.filter(({ metadata }) => metadata.name.includes('kairship'))).toEqual([])
      }
    }
  })
})
