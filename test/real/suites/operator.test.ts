import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ApiClient } from '../api-client.js'
import type { EngineProcess } from '../engine-process.js'
import { installKairship, startKairship } from '../kairship.js'
import { installOperatorCrd, type Operator, startOperator } from '../operator.js'
import { eventually } from '../probe.js'

// biome-ignore lint/suspicious/noExplicitAny: objects of every shape are read here
type Json = any

const instances = '/apis/kairship.io/v1alpha1/instances'

/**
 * Kairship and the real karmada-operator, as far as objects go: no kubelet runs what the operator creates. Its waiting for pods
 * is answered by hand, with pods that only say that they are ready, so that it comes to write the kubeconfig; nothing serves.
 */
describe('an instance installed by karmada-operator', () => {
  const stack = inject('stack')
  const host = new ApiClient(stack.host)
  let kairship: EngineProcess
  let operator: Operator

  const read = async (path: string): Promise<Json | undefined> => {
    const { status, body } = await host.send('GET', path)
    return status === 200 ? body : undefined
  }
  const names = async (path: string): Promise<string[]> =>
    ((await read(path))?.items ?? []).map(({ metadata }: Json) => metadata.name)
  const namespaced = (name: string, what: string): string => {
    const [group = '', plural = ''] = what.includes('/') ? what.split('/') : ['', what]
    const api = { '': '/api/v1', apps: '/apis/apps/v1', operator: '/apis/operator.karmada.io/v1alpha1' }[
      group
    ]
    return `${api}/namespaces/karmada-${name}/${plural}`
  }
  const karmada = (name: string): Promise<Json | undefined> =>
    read(`${namespaced(name, 'operator/karmadas')}/${name}`)
  const instance = (name: string): Promise<Json | undefined> => read(`${instances}/${name}`)
  const condition = async (name: string, type: string): Promise<Json | undefined> =>
    (await instance(name))?.status?.conditions?.find((found: Json) => found.type === type)

  async function install(name: string, deletionPolicy: 'Delete' | 'Retain'): Promise<void> {
    await host.apply({
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'Instance',
      metadata: { name },
      spec: {
        deletionPolicy,
        install: { karmadaSpec: { crdTarball: { httpSource: { url: operator.crdTarball } } } },
      },
    })
  }

  /** A pod of a workload that says it is ready. */
  async function playPod(name: string, workload: string): Promise<void> {
    const { spec, metadata } = await host.must<Json>(
      'GET',
      `${namespaced(name, 'apps/').slice(0, -1)}${workload}`,
    )
    const pods = namespaced(name, 'pods')
    // No pod is let in before the namespace's account is there.
    await eventually(
      async () => (await names(namespaced(name, 'serviceaccounts'))).includes('default'),
      'the default ServiceAccount',
    )
    const pod = `${metadata.name}-played`
    const { labels } = spec.template.metadata
    // What it would run does not matter: nothing does.
    const containers = [{ name: 'main', image: 'example.test/nothing:1' }]
    await host.must('POST', pods, {
      metadata: { name: pod, labels },
      spec: { containers, automountServiceAccountToken: false },
    })
    await host.must(
      'PATCH',
      `${pods}/${pod}/status`,
      { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
      { 'content-type': 'application/merge-patch+json' },
    )
  }

  beforeAll(async () => {
    await installOperatorCrd(host)
    await installKairship(host)
    operator = await startOperator(host, stack.host, stack.folder)
    kairship = await startKairship(host, `${stack.folder}/kairship`, 'installing')
  })

  afterAll(async () => {
    await kairship?.stop()
    await operator?.stop()
    await host.close()
  })

  it('starts as a Karmada object that Kairship writes and the operator defaults', async () => {
    await install('built', 'Delete')
    await eventually(
      async () => (await karmada('built'))?.spec?.components?.etcd?.local !== undefined,
      'defaults',
    )
    const { metadata, spec } = await karmada('built')
    expect(metadata.finalizers).toContain('operator.karmada.io/finalizer')
    expect(spec.crdTarball.httpSource.url).toBe(operator.crdTarball)
  })

  it('gets certificates, a Service and a StatefulSet for etcd, and reports meanwhile which are missing', async () => {
    await eventually(async () => (await names(namespaced('built', 'apps/statefulsets'))).length === 1, 'etcd')
    // The Service comes after the StatefulSet.
    for (const kind of ['secrets', 'services'])
      await eventually(async () => (await names(namespaced('built', kind))).length > 0, kind)
    await eventually(
      async () => /progressing/.test((await condition('built', 'Installed'))?.message ?? ''),
      'the operator’s own words in the instance',
    )
    expect(await condition('built', 'Installed')).toMatchObject({ status: 'False' })
    expect(await condition('built', 'Ready')).toMatchObject({ status: 'False' })
    expect((await instance('built')).status.phase).toBe('Registering')
  })

  it('keeps the operator’s defaults: the spec is stable after one write by each', async () => {
    expect((await karmada('built')).metadata.generation).toBe(2)
    let before = ''
    await eventually(async () => {
      const now = (await instance('built')).metadata.resourceVersion
      const quiet = now === before
      before = now
      await new Promise(resolve => setTimeout(resolve, 8_000))
      return quiet
    }, 'eight seconds without a write')
    expect((await karmada('built')).metadata.generation).toBe(2)
  })

  it('is not ready while a kubeconfig exists and its control plane does not answer', async () => {
    const [etcd = ''] = await names(namespaced('built', 'apps/statefulsets'))
    await playPod('built', `/statefulsets/${etcd}`)
    const deployed = (): Promise<string[]> => names(namespaced('built', 'apps/deployments'))
    await eventually(async () => (await deployed()).length === 1, 'the API server’s Deployment')
    const [apiServer = ''] = await deployed()
    await playPod('built', `/deployments/${apiServer}`)
    await eventually(
      async () => (await names(namespaced('built', 'secrets'))).includes('built-karmada-admin-config'),
      'the kubeconfig',
    )
    await eventually(
      async () => (await condition('built', 'CredentialsResolved'))?.status === 'True',
      'the kubeconfig read',
    )
    await eventually(
      async () => (await condition('built', 'ControlPlaneHealthy'))?.status === 'False',
      'the control plane called unreachable',
    )
    expect((await instance('built')).status.phase).toBe('Registering')
  })

  it('is deleted completely when the policy is Delete', async () => {
    await host.must('DELETE', `${instances}/built`)
    await eventually(async () => {
      const object = await karmada('built')
      return object === undefined || object.metadata.deletionTimestamp !== undefined
    }, 'the Karmada object deleted')
    // It is still waiting for an API server, for minutes; one that starts again sees the deletion first.
    await operator.process.crash()
    await operator.process.start()
    await eventually(async () => (await instance('built')) === undefined, 'the instance gone')
    expect(await karmada('built')).toBeUndefined()
    expect(await names(namespaced('built', 'apps/statefulsets'))).toEqual([])
    expect(await read('/api/v1/namespaces/karmada-built')).toBeUndefined()
  }, 900_000)

  it('leaves the Karmada object and the operator’s objects when the policy is Retain', async () => {
    await install('kept', 'Retain')
    await eventually(async () => (await names(namespaced('kept', 'apps/statefulsets'))).length === 1, 'etcd')
    await host.must('DELETE', `${instances}/kept`)
    await eventually(async () => (await instance('kept')) === undefined, 'the instance gone')
    expect((await karmada('kept')).metadata.deletionTimestamp).toBeUndefined()
    expect(await names(namespaced('kept', 'apps/statefulsets'))).toHaveLength(1)
    await host.must('DELETE', `${namespaced('kept', 'operator/karmadas')}/kept`)
    await operator.process.crash()
    await operator.process.start()
    await eventually(async () => (await karmada('kept')) === undefined, 'the operator has cleaned up')
    await host.must('DELETE', '/api/v1/namespaces/karmada-kept')
  }, 900_000)

  it('needs no request that Kairship’s roles do not allow', () => {
    const lines = readFileSync(kairship.options.log, 'utf8').split('\n')
    expect(lines.filter(line => /forbidden/i.test(line))).toEqual([])
  })
})
