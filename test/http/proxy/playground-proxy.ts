import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ControllerManager, startControllerManager } from '../../../actors/controller-manager.js'
import { connectKube } from '../../../actors/kube/connection.js'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { parseKubeconfig } from '../../../actors/kube/kubeconfig.js'
import { proxyKubeconfig } from '../../../cli/client/proxy-kubeconfig.js'
import { settings } from '../../../config.js'
import type { Api, ApiOptions } from '../../../http/api-options.js'
import { startApi } from '../../../http/server.js'
import { type Playground, type PlaygroundOptions, startPlayground } from '../../../playground/fleet/fleet.js'
import { eventually } from '../../scenarios/support/eventually.js'
import { failed, unmetered } from '../../silent.js'
import { curl } from '../fakes/listening.js'
import { type FakeLog, fakeLog } from '../fakes/log.js'

/** A playground of one instance with one member or several, and Kairship's proxy to it. */
export interface PlaygroundProxy {
  readonly instance: string
  readonly member: string
  readonly playground: Playground
  readonly manager: ControllerManager
  readonly api: Api
  /** Text of a kubeconfig: through the proxy with a person's token, or directly as the same person. */
  kubeconfig(as: 'admin' | 'viewer' | 'direct'): string
  /** The file of it. */
  file(as: 'admin' | 'viewer' | 'direct'): string
  /** The same to the member behind `clusters/{member}/proxy`. */
  memberKubeconfig(as: 'admin' | 'viewer' | 'direct'): string
  /** For what tests write. */
  readonly folder: string
  /** What everything of it has logged. */
  readonly log: FakeLog
  /** Another replica's API over the same actors: what a client finds after the first has stopped. */
  another(listen?: string, options?: Partial<ApiOptions>): Promise<Api>
  close(): Promise<void>
}

export async function startPlaygroundProxy({
  instances = 1,
  members = 1,
  memberTimes,
}: {
  instances?: number
  members?: number
} & Pick<PlaygroundOptions, 'memberTimes'> = {}): Promise<PlaygroundProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'kairship-proxy-'))
  const log = fakeLog()
  const playground = await startPlayground({
    instances,
    membersPerInstance: members,
    ...(memberTimes && { memberTimes }),
    connector: kubeConnector(),
    log,
  })
  const [instance = ''] = playground.karmadas.keys()
  const [member = ''] = playground.members.keys()
  const connect = (kubeconfig: string) => connectKube(parseKubeconfig(kubeconfig, { local: false }))
  const config = Object.fromEntries(Object.entries(settings).map(([key, setting]) => [key, setting.default]))
  const manager = startControllerManager({
    failed,
    host: await connect(playground.kubeconfigs.controllerManager),
    connector: kubeConnector(),
    identity: 'test',
    contend: true,
    config: config as never,
    log,
    meter: unmetered,
  })
  const host = await connect(playground.kubeconfigs.apiserver)
  const apis: Api[] = []
  const another = async (listen = '127.0.0.1:0', options: Partial<ApiOptions> = {}) => {
    const api = await startApi({
      fleet: manager.fleet,
      host,
      connector: kubeConnector(),
      log,
      auditSink: log.auditSink,
      meter: unmetered,
      listen,
      grpcListen: '127.0.0.1:0',
      clientCertificateAuthority: playground.host.certificateAuthority,
      ...options,
    })
    apis.push(api)
    return api
  }
  const api = await another()
  for (const name of playground.karmadas.keys())
    await eventually(`${name} is ready`, () => manager.fleet.get(name)?.state === 'ready')
  // The RBAC of people is made by an effect of its own, which readiness does not wait for.
  for (const token of Object.values(playground.tokens))
    await eventually('the people are let in', async () => {
      const path = `/apis/kairship.io/v1alpha1/instances/${instance}/proxy/api/v1/namespaces`
      return (await curl(api, path, { token })).status === 200
    })
  const kubeconfigs: Record<string, string> = {
    direct: await playground.karmadas.get(instance)!.server.kubeconfig({ name: 'admin@playground' }),
  }
  for (const [person, token] of Object.entries(playground.tokens)) {
    const path = `/apis/kairship.io/v1alpha1/instances/${instance}/kubeconfig`
    const answer = await curl(api, path, { token })
    if (answer.status !== 200) throw new Error(answer.text)
    kubeconfigs[person] = proxyKubeconfig(JSON.parse(answer.text).kubeConfigString, {
      server: api.url,
      token,
      ...(api.certificateAuthority && { certificateAuthorityData: api.certificateAuthority }),
    })
  }
  const file = (as: string) => join(folder, as)
  for (const [as, text] of Object.entries(kubeconfigs)) await writeFile(file(as), text, { mode: 0o600 })
  return {
    instance,
    member,
    playground,
    manager,
    api,
    kubeconfig: as => kubeconfigs[as] ?? '',
    memberKubeconfig: as => {
      const behind = `/apis/cluster.karmada.io/v1alpha1/clusters/${member}/proxy`
      return (kubeconfigs[as] ?? '').replace(/^( +server: \S+)$/m, `$1${behind}`)
    },
    file,
    folder,
    log,
    another,
    async close() {
      for (const one of apis) await one.close()
      await manager.stop()
      await host.close()
      await playground.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** Lets the administrator do everything in the members: Karmada's proxy says who asks, and the member decides. */
export async function letIn({ playground }: Pick<PlaygroundProxy, 'playground'>): Promise<void> {
  for (const { server } of playground.members.values())
    await server.local.request({
      method: 'POST',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
      body: {
        metadata: { name: 'administrator' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'admin@playground' }],
      },
    })
}
