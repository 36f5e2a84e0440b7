import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type ControllerManager, startControllerManager } from '../../actors/controller-manager.js'
import { settings } from '../../config.js'
import type { Api } from '../../http/api-options.js'
import { startApi } from '../../http/server.js'
import { type ApiServer, startApiServer } from '../../playground/apiserver/server.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { waitFor } from '../patience.js'
import { failed, silent, unmetered } from '../silent.js'
import { noConnector } from './fakes/api.js'
import { bearer, curl, type GrpcClient, grpcClient, unary } from './fakes/listening.js'
import { fakeLog } from './fakes/log.js'

/** How late the actors are: longer than a read would take that does not wait. */
const LATE_MS = 100

/** The API against a host that reviews tokens, evaluates RBAC and holds Instances to their schema by itself. */
let host: ApiServer
let api: Api
let follower: ControllerManager
let grpc: GrpcClient
const tokens: Record<string, string> = {}

beforeAll(async () => {
  host = await startApiServer({ name: 'host' })
  const crds = join(import.meta.dirname, '../../manifests/crds')
  for (const file of readdirSync(crds))
    await host.local.request({
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      body: parse(readFileSync(join(crds, file), 'utf8')),
    })
  await grant('editor', ['get', 'list', 'watch', 'create', 'update', 'delete'])
  await grant('north-only', ['get'], ['north'])
  for (const name of ['editor', 'north-only', 'stranger']) tokens[name] = await host.issueToken({ name }, 600)
  await waitFor(() => host.local.request({ method: 'GET', path: '/apis/kairship.io/v1alpha1/instances' }))
  follower = follow(host.local)
  await waitFor(() => expect(follower.fleet.synced).toBe(true))
  await waitFor(() => expect(follower.fleet.accessLocks.synced).toBe(true))
  api = await startApi({
    fleet: follower.fleet,
    host: host.local,
    connector: noConnector,
    log: fakeLog(),
    auditSink: () => undefined,
    meter: unmetered,
    listen: '127.0.0.1:0',
    grpcListen: '127.0.0.1:0',
    clientCertificateAuthority: host.certificateAuthority,
  })
  grpc = grpcClient(api)
})
afterAll(async () => {
  grpc.close()
  await api.close()
  await follower.stop()
  await host.close()
})

/** Actors that only look on, and hear of each change to an Instance a while after it. */
function follow(local: KubeApi): ControllerManager {
  const config = Object.fromEntries(Object.entries(settings).map(([key, setting]) => [key, setting.default]))
  return startControllerManager({
    failed,
    host: {
      server: local.server,
      request: request => local.request(request),
      async *watch(request) {
        for await (const event of local.watch(request)) {
          if (request.path.endsWith('/instances')) await new Promise(resolve => setTimeout(resolve, LATE_MS))
          yield event
        }
      },
      close: async () => undefined,
    },
    connector: { connect: () => Promise.reject(new Error('nothing here')) },
    identity: 'test',
    contend: false,
    config: config as never,
    log: silent,
    meter: unmetered,
  })
}

async function grant(user: string, verbs: string[], resourceNames?: string[]): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const metadata = { name: user }
  const rule = {
    apiGroups: ['kairship.io'],
    resources: ['instances'],
    verbs,
    ...(resourceNames && { resourceNames }),
  }
  await host.local.request({
    method: 'POST',
    path: `${rbac}/clusterroles`,
    body: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules: [rule] },
  })
  await host.local.request({
    method: 'POST',
    path: `${rbac}/clusterrolebindings`,
    body: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    },
  })
}

const ask = async (user: string, method: string, path: string, body?: object) => {
  const token = tokens[user]
  const answer = await curl(
    api,
    `/apis/kairship.io/v1alpha1${path}`,
    token ? { token } : {},
    {},
    method,
    body,
  )
  return { status: answer.status, json: JSON.parse(answer.text) }
}

describe('with a host that runs RBAC', () => {
  it('instances are created, read, replaced and deleted by callers with the rights', async () => {
    const spec = { kubeconfigSecretRef: { namespace: 'kairship-system', name: 'north' } }
    const created = await ask('editor', 'POST', '/instances', { data: { metadata: { name: 'north' }, spec } })
    expect(created).toMatchObject({
      status: 200,
      json: { metadata: { name: 'north' }, spec: { deletionPolicy: 'Retain' } },
    })
    expect((await ask('north-only', 'GET', '/instances/north')).json.metadata.uid).toBe(
      created.json.metadata.uid,
    )

    const { data } = (await ask('editor', 'GET', '/instances/north/json')).json
    const edited = { ...JSON.parse(data), spec: { ...spec, alias: 'The North' } }
    const replaced = await ask('editor', 'PUT', '/instances/north', { data: JSON.stringify(edited) })
    expect(JSON.parse(replaced.json.data).spec.alias).toBe('The North')
    const stale = await ask('editor', 'PUT', '/instances/north', { data: JSON.stringify(edited) })
    expect([stale.status, stale.json.code]).toEqual([409, 10])

    expect((await ask('north-only', 'DELETE', '/instances/north')).status).toBe(403)
    expect((await ask('editor', 'DELETE', '/instances/north')).status).toBe(200)
    expect((await ask('editor', 'GET', '/instances/north')).status).toBe(404)
  })

  it.each([1, 2, 3])('each call shows the effect of the one before, over either wire (%i)', async () => {
    const token = bearer(tokens.editor ?? '')
    const named = { apiVersion: 'kairship.io/v1alpha1', kind: 'Instance', metadata: { name: 'brief' } }
    const spec = { kubeconfigSecretRef: { namespace: 'kairship-system', name: 'brief' } }
    const data = { metadata: named.metadata, spec }
    const listed = async () =>
      (await ask('editor', 'GET', '/instances')).json.items.map(
        ({ metadata, spec }: { metadata: { uid: string }; spec: { alias: string } }) =>
          `${metadata.uid} ${spec.alias}`,
      )
    const { uid } = (await ask('editor', 'POST', '/instances', { data })).json.metadata
    expect(await listed()).toEqual([`${uid} `])
    const edited = JSON.stringify({ ...named, spec: { ...spec, alias: 'edited' } })
    const updated = await unary(grpc, 'UpdateInstance', { name: 'brief', data: edited }, token)
    expect(updated.error).toBeUndefined()
    const { json } = await ask('editor', 'GET', '/instances/brief')
    // Of an Instance that no actor has seen yet the state would be unknown.
    expect(json).toMatchObject({ spec: { alias: 'edited' }, status: { state: 'INSTANCE_STATE_INPROCESS' } })
    expect((await ask('editor', 'DELETE', '/instances/brief')).status).toBe(200)
    const successor = await unary(grpc, 'CreateInstance', { data }, token)
    const { metadata } = successor.answer as { metadata: { uid: string } }
    expect(await listed()).toEqual([`${metadata.uid} `])
    const got = await unary(grpc, 'GetInstance', { name: 'brief' }, token)
    expect(got.answer).toMatchObject({ metadata: { uid: metadata.uid } })
    expect((await unary(grpc, 'DeleteInstance', { name: 'brief' }, token)).error).toBeUndefined()
    expect(await listed()).toEqual([])
    expect((await ask('editor', 'GET', '/instances/brief')).status).toBe(404)
  })

  it('a refusal of the schema names each field', async () => {
    const spec = { alias: 'x'.repeat(64), kubeconfigSecretRef: { namespace: 'a', name: 'b' } }
    const { status, json } = await ask('editor', 'POST', '/instances', {
      data: { metadata: { name: 'x' }, spec },
    })
    expect([status, json.code]).toEqual([400, 3])
    const violations = json.details.flatMap(
      (detail: { fieldViolations?: object[] }) => detail.fieldViolations ?? [],
    )
    expect(violations).toMatchObject([
      { field: 'data.spec.alias', reason: 'FieldValueTooLong' },
      { field: 'data' },
    ])
  })

  it.each([
    ['stranger', 'GET', '/instances/north', 403],
    ['north-only', 'GET', '/instances/south', 403],
    ['nobody', 'GET', '/instances', 401],
  ])('%s %s %s → %i', async (user, method, path, status) => {
    expect((await ask(user, method, path)).status).toBe(status)
  })

  it('a name that no object can have is refused here, and not sent to the host', async () => {
    for (const name of ['UPPER', 'a_b', 'x'.repeat(254)]) {
      const { status, json } = await ask('editor', 'POST', '/instances', { data: { metadata: { name } } })
      expect([status, json.code]).toEqual([400, 3])
    }
  })
})
