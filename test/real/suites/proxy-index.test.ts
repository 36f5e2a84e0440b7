import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type ControllerManager, startControllerManager } from '../../../actors/controller-manager.js'
import { connectKube } from '../../../actors/kube/connection.js'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { parseKubeconfig } from '../../../actors/kube/kubeconfig.js'
import { settings } from '../../../config.js'
import type { Api } from '../../../http/api-options.js'
import { startApi } from '../../../http/server.js'
import type { KubeList, KubeObject } from '../../../manifests/kube.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { type Answer, curl } from '../../http/fakes/listening.js'
import { fakeLog } from '../../http/fakes/log.js'
import { waitFor } from '../../patience.js'
import { failed, unmetered } from '../../silent.js'
import { ApiClient } from '../api-client.js'
import { installKairship, kairshipNamespace } from '../kairship.js'
import { eventually } from '../probe.js'

const name = 'proxy-east'
const account = 'proxy-user'
const user = `system:serviceaccount:${kairshipNamespace}:${account}`
const rbac = 'rbac.authorization.k8s.io'
const space = `proxy-index-${randomBytes(3).toString('hex')}`
const maps = `/api/v1/namespaces/${space}/configmaps`
const policies = `/apis/policy.karmada.io/v1alpha1/namespaces/${space}/propagationpolicies`

/** The proxy in this process, between a real host, a real Karmada and Clusterpedia. */
describe('the proxy over Clusterpedia', () => {
  const stack = inject('stack')
  const host = new ApiClient(stack.host)
  const credentials = stack.karmadas['karmada-east']
  if (!credentials) throw new Error('the stack lacks karmada-east')
  const karmada = new ApiClient(credentials)
  let connection: KubeApi
  let manager: ControllerManager
  let api: Api
  let token: string

  const administrator = (of: ApiClient, kind: 'User' | 'ServiceAccount') =>
    of.apply({
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: account },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [
        kind === 'User'
          ? { kind, name: user, apiGroup: rbac }
          : { kind, name: account, namespace: kairshipNamespace },
      ],
    })

  beforeAll(async () => {
    await installKairship(host)
    await host.apply({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: account, namespace: kairshipNamespace },
    })
    await administrator(host, 'ServiceAccount')
    await administrator(karmada, 'User')
    await karmada.must('POST', '/api/v1/namespaces', { metadata: { name: space } })
    const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
    const path = `/api/v1/namespaces/${kairshipNamespace}/serviceaccounts/${account}/token`
    token = (await host.must<{ status: { token: string } }>('POST', path, asked)).status.token
    const kubeconfig = readFileSync(stack.kubeconfigs['karmada-east'] ?? '')
    await host.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: kairshipNamespace },
      data: { kubeconfig: kubeconfig.toString('base64') },
    })
    await host.apply({
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'Instance',
      metadata: { name },
      spec: { kubeconfigSecretRef: { name, namespace: kairshipNamespace } },
    })
    const log = fakeLog()
    const config = Object.fromEntries(
      Object.entries(settings).map(([key, setting]) => [key, setting.default]),
    )
    const hostKubeconfig = readFileSync(stack.kubeconfigs.host ?? '', 'utf8')
    connection = await connectKube(parseKubeconfig(hostKubeconfig, { local: true }))
    manager = startControllerManager({
      failed,
      host: connection,
      connector: kubeConnector(),
      identity: 'proxy',
      contend: true,
      config: config as never,
      log,
      meter: unmetered,
    })
    api = await startApi({
      fleet: manager.fleet,
      host: connection,
      connector: kubeConnector(),
      log,
      auditSink: log.auditSink,
      meter: unmetered,
      listen: '127.0.0.1:0',
      grpcListen: '127.0.0.1:0',
    })
    // Of an index that shows nothing Karmada is asked.
    await karmada.must('POST', maps, configMap('always-there'))
    await eventually(async () => sourceOf(await ask(maps)) === 'index', 'the index answers')
  })

  afterAll(async () => {
    await host.send('DELETE', `/apis/kairship.io/v1alpha1/instances/${name}`)
    await eventually(
      async () => (await host.send('GET', `/apis/kairship.io/v1alpha1/instances/${name}`)).status === 404,
      'the instance is gone',
    )
    await api?.close()
    await manager?.stop()
    await connection?.close()
    await karmada.send('DELETE', `/api/v1/namespaces/${space}`)
    await host.close()
    await karmada.close()
  })

  const root = `/apis/kairship.io/v1alpha1/instances/${name}/proxy`
  const ask = (path: string, method = 'GET', body?: object, headers: Record<string, string> = {}) =>
    curl(api, `${root}${path}`, { token }, headers, method, body)
  const sourceOf = ({ headers }: Answer) => headers['kairship-source']
  const namesIn = ({ text }: Answer) =>
    (JSON.parse(text) as KubeList<KubeObject>).items.map(({ metadata }) => metadata.name)
  const configMap = (called: string, value = '1') => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: called },
    data: { value },
  })
  const policy = (called: string) => ({
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name: called },
    spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'none' }] },
  })
  async function fromIndex(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    let last: Answer | undefined
    const isFromIndex = async () => {
      last = await ask(path, 'GET', undefined, headers)
      return sourceOf(last) === 'index'
    }
    await eventually(isFromIndex, `${path} is answered from the index`)
    return last!
  }

  it.each([
    [maps, configMap('listed')],
    [policies, policy('listed')],
  ])('lists %s as Karmada does, except for fields that Clusterpedia removes', async (path, object) => {
    await karmada.must('POST', path, object)
    const own = (items: readonly KubeObject[]) =>
      items
        .map(({ metadata: { managedFields: _, ...metadata }, ...item }) => ({
          ...item,
          apiVersion: object.apiVersion,
          kind: object.kind,
          metadata,
        }))
        .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    // What Karmada's controllers write after it comes to the index a moment later.
    await waitFor(async () => {
      const { text, headers } = await fromIndex(path)
      // The aggregator sets both, and adds those of Clusterpedia.
      expect([headers['audit-id'], headers['cache-control']]).toEqual([
        expect.stringMatching(/^[0-9a-f-]{36}$/),
        'no-cache, private',
      ])
      expect(text).not.toContain('shadow.clusterpedia.io')
      const direct = await karmada.must<KubeList<KubeObject>>('GET', path)
      expect(direct.items.map(({ metadata }) => metadata.name)).toContain('listed')
      expect(own((JSON.parse(text) as KubeList<KubeObject>).items)).toEqual(own(direct.items))
    })
  })

  it.each([
    ['objects', 'application/json'],
    ['metadata', 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'],
  ])('reads a list of %s from Karmada when it is empty in the index', async (_, accept) => {
    const path = '/api/v1/namespaces/nowhere/configmaps'
    const { text, headers } = await ask(path, 'GET', undefined, { accept })
    expect([headers['kairship-source-reason'], headers.warning]).toEqual(['Empty', undefined])
    const direct = await karmada.must<KubeList<KubeObject>>('GET', path, undefined, { accept })
    expect(JSON.parse(text).items).toEqual(direct.items)
  })

  it('reads objects of an aggregated API from Karmada', async () => {
    const { text, headers } = await ask('/apis/cluster.karmada.io/v1alpha1/clusters?limit=500')
    expect([headers['kairship-source-reason'], headers.warning]).toEqual(['Aggregated', undefined])
    expect((JSON.parse(text) as KubeList<KubeObject>).items).toHaveLength(2)
  })

  it('reads single objects, informers’ lists and watches from Karmada', async () => {
    for (const [path, reason] of [
      [`${maps}/listed`, 'NotLossless'],
      [`${maps}?resourceVersion=0`, 'Informer'],
      [`${maps}?resourceVersion=1&resourceVersionMatch=NotOlderThan`, 'VersionUnknown'],
      ['/api/v1/secrets', 'NotIndexed'],
    ])
      expect((await ask(path ?? '')).headers['kairship-source-reason']).toBe(reason)
  })

  it('shows callers their own writes, deletions and re-creations at once, and later from the index', async () => {
    expect((await ask(maps, 'POST', configMap('own'))).status).toBe(201)
    expect(namesIn(await ask(maps))).toContain('own')
    await fromIndex(maps)
    for (const value of ['2', '3', '4']) {
      expect((await ask(`${maps}/own`, 'DELETE')).status).toBe(200)
      expect(namesIn(await ask(maps))).not.toContain('own')
      expect((await ask(maps, 'POST', configMap('own', value))).status).toBe(201)
      const { items } = JSON.parse((await ask(maps)).text) as KubeList<
        KubeObject & { data: { value: string } }
      >
      expect(items.find(({ metadata }) => metadata.name === 'own')?.data.value).toBe(value)
    }
    expect(namesIn(await fromIndex(maps))).toContain('own')
  })
})
