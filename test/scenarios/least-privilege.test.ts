import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ControllerManager, startControllerManager } from '../../actors/controller-manager.js'
import { WatchedAccounts } from '../../actors/host/watched-accounts.js'
import { connectKube } from '../../actors/kube/connection.js'
import { kubeConnector } from '../../actors/kube/connector.js'
import { parseKubeconfig } from '../../actors/kube/kubeconfig.js'
import { defaults } from '../../config.js'
import type { Api } from '../../http/api-options.js'
import { startApi } from '../../http/server.js'
import { INSTANCES, type Instance } from '../../manifests/instance.js'
import { INSTANCE_ROLE_BINDINGS, type InstanceRoleBinding } from '../../manifests/instance-role-binding.js'
import { type KubeObject, resourcePath } from '../../manifests/kube.js'
import type { ApiRequest } from '../../playground/apiserver/wire/exchange.js'
import { type RequestInfo, requestInfo } from '../../playground/apiserver/wire/request-info.js'
import { type Playground, startPlayground } from '../../playground/fleet/fleet.js'
import { kairshipInstallation } from '../../playground/fleet/kairship-manifests.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { curl } from '../http/fakes/listening.js'
import { fakeLog } from '../http/fakes/log.js'
import { failed, unmetered } from '../silent.js'
import { eventually } from './support/eventually.js'
import { followRest } from './support/following.js'

interface Rule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}
interface Grant {
  readonly role: string
  /** '' for everywhere. */
  readonly namespace: string
  readonly rule: Rule
}
/** A right in its smallest piece, as `role: verb resource.group`. */
interface Right extends Grant {
  readonly text: string
  readonly verb: string
  readonly group: string
  readonly resource: string
}
const accounts = ['kairship-controller-manager', 'kairship-apiserver'] as const
type Account = (typeof accounts)[number]

/** Rights of a role to some resources, with one reason, the last of the list. */
function notUsed(
  role: string,
  verbs: readonly string[],
  resources: readonly string[],
): Record<string, string> {
  const [why = '', ...others] = resources.toReversed()
  return Object.fromEntries(
    others.flatMap(resource => verbs.map(verb => [`${role}: ${verb} ${resource}`, why] as const)),
  )
}

/** Rights whose code no playground runs, each with the reason. */
const notUsedHere: Readonly<Record<string, string>> = {
  'kairship-observer: get *.clusterpedia.io': 'the proxy reads from the index where it can',
  ...notUsed(
    'kairship-controller-manager',
    ['get', 'create', 'update', 'delete'],
    [
      ...['instancerolebindings.kairship.io', 'workspacerolebindings.kairship.io'],
      'no list of Global Management is compared, no role ends, and no other controller writes a status in between',
    ],
  ),
  'kairship-controller-manager: patch workspacerolebindings/status.kairship.io': 'no role ends',
  ...notUsed(
    'kairship-apiserver',
    ['get', 'create', 'update', 'delete'],
    [
      ...['instancerolebindings.kairship.io', 'workspacerolebindings.kairship.io'],
      'nobody changes role bindings through Kairship',
    ],
  ),
  'kairship-controller-manager: patch events': 'the same happened again within minutes',
  'kairship-cloudshells: get cloudshells.cloudshell.cloudtty.io': 'CloudTTY is not on the host',
  'kairship-cloudshells: create cloudshells.cloudshell.cloudtty.io': 'CloudTTY is not on the host',
  'kairship-cloudshells: delete cloudshells.cloudshell.cloudtty.io': 'CloudTTY is not on the host',
  'kairship-cloudshells: create secrets': 'CloudTTY is not on the host',
  'kairship-observer: list *.clusterpedia.io': 'the proxy reads from the index where it can',
}

interface Binding extends KubeObject {
  readonly roleRef: { readonly kind: string; readonly name: string }
  readonly subjects: readonly { readonly kind: string; readonly name: string }[]
}
const installed = kairshipInstallation()

/** What the manifests give an account. */
function grantsOf(account: Account): readonly Grant[] {
  const bindings = installed.filter(({ kind }) => /^(Cluster)?RoleBinding$/.test(kind ?? '')) as Binding[]
  return bindings
    .filter(({ subjects }) => subjects.some(({ name }) => name === account))
    .flatMap(({ metadata: { namespace = '' }, roleRef }) => {
      const role = installed.find(
        ({ kind, metadata }) => kind === roleRef.kind && metadata.name === roleRef.name,
      )
      const { rules } = role as KubeObject & { rules: readonly Rule[] }
      return rules.map(rule => ({ role: roleRef.name, namespace, rule }))
    })
}

/** A grant in pieces: one verb on one resource each. */
const rightsIn = (grant: Grant): Right[] =>
  (grant.rule.apiGroups ?? []).flatMap(group =>
    (grant.rule.resources ?? []).flatMap(resource =>
      grant.rule.verbs.map(verb => {
        const text = `${grant.role}: ${verb} ${resource}${group && `.${group}`}`
        return { ...grant, verb, group, resource, text }
      }),
    ),
  )

/** RBAC's own rules for what a right covers. */
function covers(right: Right, request: RequestInfo): boolean {
  const { namespace, rule, verb, group, resource } = right
  const asked = request.subresource ? `${request.resource}/${request.subresource}` : request.resource
  if (verb !== request.verb || group !== request.group) return false
  if (resource !== '*' && resource !== asked) return false
  if (namespace !== '' && namespace !== request.namespace) return false
  return rule.resourceNames === undefined || rule.resourceNames.includes(request.name)
}

/** Outside of resources, what Kubernetes lets everybody read (system:public-info-viewer, system:discovery). */
const openToAll = /^\/(readyz|livez|healthz|version|apis?(\/.*)?|openapi\/.*)$/

let folder: string
let playground: Playground
let manager: ControllerManager
let connections: KubeApi[]
let api: Api
/** Every request that Kairship made of the host, by account, without repetitions. */
const asked = new Map<Account, Map<string, RequestInfo>>(accounts.map(account => [account, new Map()]))

function record(account: Account, { method, path, query, headers }: ApiRequest): void {
  const info = requestInfo(method, path, query)
  // An apply that finds nothing creates, and an API server asks for both rights then.
  const verbs = headers['content-type'] === 'application/apply-patch+yaml' ? ['patch', 'create'] : [info.verb]
  for (const verb of verbs) {
    const { group, resource, subresource, namespace } = info
    const name = resource === 'leases' ? info.name : ''
    const key = [
      verb,
      group,
      resource,
      subresource,
      namespace,
      name,
      info.isResourceRequest || info.path,
    ].join(' ')
    asked.get(account)?.set(key, { ...info, verb })
  }
}

const host = () => playground.host.local
const find = async (name: string): Promise<Instance | undefined> => {
  const { items } = await host().request<{ items: Instance[] }>({
    method: 'GET',
    path: resourcePath(INSTANCES),
  })
  return items.find(({ metadata }) => metadata.name === name)
}
const phase = (name: string, wanted: string | undefined) =>
  eventually(`${name} is ${wanted}`, async () => (await find(name))?.status?.phase === wanted, {
    story: () => JSON.stringify(manager.fleet.explain(name), null, 1),
  })
const rest = async (method: string, path: string, body?: object) => {
  const { admin: token } = playground.tokens
  const below = /^\/(workspace-management|access-locks)\b/.test(path) ? '' : '/instances'
  const answer = await curl(api, `/apis/kairship.io/v1alpha1${below}${path}`, { token }, {}, method, body)
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200)
  return JSON.parse(answer.text)
}

/** Everything that Kairship does to a host, once. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kairship-rights-'))
  const log = fakeLog()
  playground = await startPlayground({ instances: 1, membersPerInstance: 1, connector: kubeConnector(), log })
  const own = {
    'kairship-controller-manager': parseKubeconfig(playground.kubeconfigs.controllerManager, {
      local: false,
    }),
    'kairship-apiserver': parseKubeconfig(playground.kubeconfigs.apiserver, { local: false }),
  }
  const accountOf = new Map(
    accounts.map(account => [`Bearer ${(own[account].credential as { token: string }).token}`, account]),
  )
  playground.host.interrupt({
    kind: 'answer',
    matches: request => {
      const account = accountOf.get(String(request.headers.authorization))
      if (account) record(account, request)
      return false
    },
    response: { code: 500, body: { text: '', contentType: 'text/plain' } },
  })
  connections = await Promise.all([
    connectKube(own['kairship-controller-manager']),
    // As `kairship apiserver` does, it also follows the fleet under its own account.
    connectKube(own['kairship-apiserver']),
  ])
  const replica = (of: KubeApi, contend: boolean) =>
    startControllerManager({
      failed,
      host: of,
      connector: kubeConnector(),
      identity: contend ? 'acting' : 'watching',
      contend,
      config: { ...defaults('serve'), statusIntervalMs: 200, probeIntervalMs: 500 },
      log,
      meter: unmetered,
    })
  manager = replica(connections[0]!, true)
  const follower = replica(connections[1]!, false)
  const watchedAccounts = new WatchedAccounts(connections[1]!, log, unmetered).start()
  try {
    api = await startApi({
      fleet: follower.fleet,
      host: connections[1]!,
      accounts: watchedAccounts,
      connector: kubeConnector(),
      log,
      auditSink: log.auditSink,
      meter: unmetered,
      listen: '127.0.0.1:0',
      grpcListen: '127.0.0.1:0',
    })
    await phase('eu-west', 'Ready')
    const itself = { namespace: 'kairship-system', name: 'kairship-apiserver', uid: 'another' }
    await eventually('the accounts are watched', () => watchedAccounts.isThere(itself) === false)
    await eventually('the follower sees it', () => follower.fleet.get('eu-west')?.state === 'ready')
    // The condition of the Instance may speak of none yet: Global Management answers the registration with them.
    await eventually('its role bindings', async () => {
      const path = resourcePath(INSTANCE_ROLE_BINDINGS)
      const { items } = await host().request<{ items: InstanceRoleBinding[] }>({ method: 'GET', path })
      const made = ({ status }: InstanceRoleBinding) =>
        status?.conditions?.some(({ type, status }) => type === 'Materialized' && status === 'True')
      return items.length > 0 && items.every(made)
    })
    await rest('GET', '')
    await rest('GET', '/eu-west')
    await rest('POST', '/eu-west/token', { expirationSeconds: 600 })
    expect((await api.readiness()).ready).toBe(true)
    await rest('POST', '', {
      data: { metadata: { name: 'fresh' }, spec: { install: {}, deletionPolicy: 'Delete' } },
    })
    await phase('fresh', 'Ready')
    const { data } = await rest('GET', '/fresh/json')
    const edited = JSON.parse(data)
    await rest('PUT', '/fresh', { data: JSON.stringify({ ...edited, spec: { ...edited.spec, alias: 'x' } }) })
    for (const settings of ['failover', 'descheduler', 'metricsadapter']) {
      await rest('PUT', `/fresh/${settings}`, { enabled: true })
      expect(await rest('GET', `/fresh/${settings}`)).toMatchObject({ enabled: true })
    }
    await rest('GET', '/workspace-management/instances')
    for (const [path, resource] of [
      ['workspace-management/workspaces', 'workspaces'],
      ['workspace-management/instances', 'workspacebindings'],
      ['workspace-management/namespaces', 'workspacebindings'],
      ['kpanda-clusters', 'pediaclusters'],
    ]) {
      const followed = () =>
        [...(asked.get('kairship-apiserver')?.values() ?? [])].some(
          one => one.verb === 'watch' && one.resource === resource,
        )
      const following = followRest(api, `/apis/kairship.io/v1alpha1/${path}:watch`, playground.tokens.admin)
      await eventually(`a stream of ${path}`, () => following.steps.some(({ type }) => type === 'BOOKMARK'))
      await eventually(`Kairship follows ${resource}`, followed)
      following.close()
    }
    for (const action of ['BIND', 'BIND', 'UNBIND'])
      await rest('POST', '/workspace-management/instances/-/actions', {
        ...{ instance: 'eu-west', workspace: { workspace: 'shop' }, action },
      })
    await rest('POST', '/access-locks', { name: 'left', user: 'mia@playground' })
    await rest('DELETE', '/access-locks/left')
    for (const name of ['fresh', 'eu-west']) {
      await rest('DELETE', `/${name}`)
      await eventually(`${name} is gone`, async () => !(await find(name)))
    }
  } finally {
    await api?.close()
    watchedAccounts.stop()
    await follower.stop()
    await manager.stop()
  }
})
afterAll(async () => {
  for (const connection of connections ?? []) await connection.close()
  await playground?.close()
  await rm(folder, { recursive: true, force: true })
})

describe.each(accounts)('%s', account => {
  it('sends only requests to the host that the manifests allow', () => {
    const rights = grantsOf(account).flatMap(rightsIn)
    const requests = [...(asked.get(account)?.values() ?? [])]
    expect(requests.length).toBeGreaterThan(5)
    const excess = requests.filter(request =>
      request.isResourceRequest
        ? !rights.some(right => covers(right, request))
        : !openToAll.test(request.path),
    )
    expect(excess).toEqual([])
  })
})

it.each(accounts)('the manifests grant %s no right twice', account => {
  const where = grantsOf(account)
    .flatMap(rightsIn)
    .map(({ text, namespace, rule }) => [text.replace(/^.*: /, ''), namespace, rule.resourceNames].join(' '))
  expect(where.filter((text, index) => where.indexOf(text) !== index)).toEqual([])
})

it('the manifests grant Kairship no unused right', () => {
  const used = new Set<string>()
  const given = new Set<string>()
  for (const account of accounts)
    for (const right of grantsOf(account).flatMap(rightsIn)) {
      given.add(right.text)
      const requests = [...(asked.get(account)?.values() ?? [])]
      if (requests.some(request => covers(right, request))) used.add(right.text)
    }
  const idle = [...given].filter(text => !used.has(text) && !(text in notUsedHere))
  expect(idle).toEqual([])
  expect(Object.keys(notUsedHere).filter(text => !given.has(text))).toEqual([])
})
