import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { resourcePath } from '../../../manifests/kube.js'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'
import { fromBase64 } from '../../../playground/client/kubeconfig.js'
import { ensure, read, remove, update } from '../../../playground/client/write.js'
import { startKarmada } from '../../../playground/karmada/control-plane.js'
import type { Secret } from '../../../playground/objects/core.js'
import { NAMESPACES, SECRETS } from '../../../playground/objects/core-types.js'
import { KARMADAS, type KarmadaObject } from '../../../playground/operator/karmada-resource.js'
import { adminConfigSecretName, apiServerName } from '../../../playground/operator/names.js'
import { Operator } from '../../../playground/operator/operator.js'
import { silent } from '../../silent.js'
import { eventually } from '../eventually.js'

let host: ApiServer
let operator: Operator
/** Why installing fails, as long as it does. */
let failure: string | undefined
let uninstalled: string[]
/** Of which objects a failed reconciliation was logged, in order. */
let logged: string[]

beforeEach(async () => {
  host = await startApiServer({ name: 'host' })
  failure = undefined
  uninstalled = []
  logged = []
  operator = await Operator.start({
    host: host.local,
    log: { ...silent, warn: fields => void logged.push((fields as { key: string }).key) },
    install: async id => {
      if (failure) throw new Error(failure)
      return startKarmada({ name: id, connector: kubeConnector(), log: silent })
    },
    uninstall: async id => {
      uninstalled.push(id)
    },
  })
  await ensure(host.local, NAMESPACES, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'karmada-x' },
  })
})
afterEach(async () => {
  await operator.close()
  await host.close()
})

const place = { namespace: 'karmada-x', name: 'x' }
const create = (spec: object, metadata: object = {}) =>
  host.local.request<KubeObject>({
    method: 'POST',
    path: resourcePath(KARMADAS, { namespace: 'karmada-x' }),
    body: {
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata: { ...place, ...metadata },
      spec,
    },
  })
const ask = () => read<KarmadaObject>(host.local, KARMADAS, place)
const reason = (wanted: string) =>
  eventually(`the Ready condition to be ${wanted}`, async () => {
    const object = await ask()
    return object?.status?.conditions?.[0]?.reason === wanted ? object : undefined
  })
const adminSecret = () => read<Secret>(host.local, SECRETS, { ...place, name: 'x-karmada-admin-config' })

describe('names of installed components', () => {
  it.each([
    ['demo', 'demo-karmada-admin-config', 'demo-karmada-apiserver'],
    ['my-karmada', 'my-karmada-admin-config', 'my-karmada-apiserver'],
    ['karmada', 'karmada-admin-config', 'karmada-apiserver'],
  ])('for %s', (karmada, secret, service) => {
    expect(adminConfigSecretName(karmada)).toBe(secret)
    expect(apiServerName(karmada)).toBe(service)
  })
})

describe('the operator', () => {
  it('installs a control plane, and writes its kubeconfig to a Secret', async () => {
    await create({})
    const { status, metadata } = await reason('Completed')
    expect(status).toMatchObject({
      conditions: [{ type: 'Ready', status: 'True' }],
      secretRef: { namespace: 'karmada-x', name: 'x-karmada-admin-config' },
      apiServerService: { name: 'x-karmada-apiserver' },
    })
    expect(metadata.labels).toEqual({ 'operator.karmada.io/disable-cascading-deletion': 'false' })
    const secret = await adminSecret()
    const api = await kubeConnector().connect(fromBase64(secret?.data?.['karmada.config'] ?? ''))
    const path = '/apis/policy.karmada.io/v1alpha1/propagationpolicies'
    await expect(api.request({ method: 'GET', path })).resolves.toMatchObject({ items: [] })
    await api.close()
  })

  it('deletes everything with the object', async () => {
    await create({})
    await reason('Completed')
    await remove(host.local, KARMADAS, place)
    await eventually('the object to go', async () => !(await ask()))
    expect(await adminSecret()).toBeUndefined()
    expect(operator.installed.size).toBe(0)
    expect(uninstalled).toEqual(['karmada-x-x'])
  })

  it('keeps everything when cascading deletion is disabled', async () => {
    await create({}, { labels: { 'operator.karmada.io/disable-cascading-deletion': 'true' } })
    await reason('Completed')
    await remove(host.local, KARMADAS, place)
    await eventually('the object to go', async () => !(await ask()))
    expect(await adminSecret()).toBeDefined()
    expect(operator.installed.size).toBe(1)
    expect(uninstalled).toEqual([])
  })

  it('reports a failure, and tries again', async () => {
    failure = 'failed to pull the image of etcd'
    await create({})
    const failed = await eventually('the failure', async () => {
      const [condition] = (await ask())?.status?.conditions ?? []
      return condition?.reason === 'Failed' ? condition : undefined
    })
    expect(failed.message).toBe('failed to pull the image of etcd')
    failure = undefined
    await reason('Completed')
  })

  it('fails when a Service name is too long, reports it, and stops when the object is deleted', async () => {
    const name = 'a'.repeat(35)
    await create({}, { name })
    const other = { namespace: 'karmada-x', name }
    const failed = await eventually('the failure', async () => {
      const [condition] = (await read<KarmadaObject>(host.local, KARMADAS, other))?.status?.conditions ?? []
      return condition?.reason === 'Failed' ? condition : undefined
    })
    expect(failed.message).toMatch(/a-karmada-aggregated-apiserver.*no more than 63 characters/)
    await remove(host.local, KARMADAS, other)
    await eventually('the object to go', async () => !(await read(host.local, KARMADAS, other)))
    expect(operator.installed.size).toBe(0)
    expect(uninstalled).toEqual([`karmada-x-${name}`])
  })

  it('logs nothing more of an object that failed and is deleted', async () => {
    failure = 'failed to pull the image of etcd'
    const of = (name: string) => logged.filter(key => key.endsWith(`/${name}`)).length
    await create({})
    await eventually('it fails', () => of('x') > 0)
    await remove(host.local, KARMADAS, place)
    await eventually('the object to go', async () => !(await ask()))
    const until = of('x')
    // It would be tried again before another one fails three times: pauses double.
    await create({}, { name: 'y' })
    await eventually('another one fails repeatedly', () => of('y') > until + 2)
    expect(of('x')).toBe(until)
  })

  it.each([
    ['an empty etcd', { components: { etcd: {} } }, 'unexpected empty etcd configuration'],
    [
      'a secret of another name for an external etcd',
      { components: { etcd: { external: { endpoints: ['https://e'], secretRef: { name: 'mine' } } } } },
      'must be x-karmada-etcd-cert',
    ],
    ['CRDs from nowhere', { crdTarball: { httpSource: { url: 'nowhere' } } }, 'invalid CRDs remote URL'],
    [
      'a remote host reached by ClusterIP',
      { hostCluster: { secretRef: { namespace: 'a', name: 'b' } } },
      'must be either NodePort or LoadBalancer',
    ],
  ])('refuses %s, and installs after the spec is corrected', async (_what, spec, message) => {
    await create(spec)
    const { status } = await reason('ValidationError')
    expect(status?.conditions?.[0]?.message).toContain(message)
    expect(operator.installed.size).toBe(0)
    await update<KarmadaObject>(host.local, KARMADAS, place, object => ({ ...object, spec: {} }))
    await reason('Completed')
  })

  it('does nothing for a suspended object until it is resumed', async () => {
    await create({ suspend: true })
    await create({}, { name: 'y' })
    await eventually('the other one', () => operator.installed.has('karmada-x/y'))
    expect((await ask())?.status).toBeUndefined()
    await update<KarmadaObject>(host.local, KARMADAS, place, object => ({
      ...object,
      spec: { suspend: false },
    }))
    await reason('Completed')
  })
})
