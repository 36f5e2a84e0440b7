import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { signInLink } from '../../cli/client/sign-in-link.js'
import { ProxyClient } from '../scenarios/support/proxy-client.js'
import { ApiClient, kubeconfigText } from './api-client.js'
import { CertificateAuthority } from './certificates.js'
import type { EngineProcess } from './engine-process.js'
import { adopt, installKairship, kairshipProgram, startKairship } from './kairship.js'
import { freePort } from './ports.js'
import { eventually } from './probe.js'
import { impersonatedIn, inside, letIn, robot, tokenOf } from './robot.js'
import type { ProvidedStack } from './stack.js'

/** One real instance with a real member, and Kairship's proxy to it, run as its manifests run it. */
export interface RealProxy {
  readonly instance: string
  readonly member: string
  /** Kubeconfig files, of the same caller: through the proxy and directly; to the instance and to a member behind it. */
  readonly through: string
  readonly direct: string
  readonly throughToMember: string
  readonly directToMember: string
  readonly karmada: ApiClient
  readonly memberClient: ApiClient
  /** The replica that serves. */
  readonly replica: Replica
  /** Starts another replica of the same Kairship: what a Service leads to as well. */
  another(): Promise<Replica>
  /** Writes the kubeconfigs of the caller through the proxy anew, at another port. */
  at(port: number): Pick<RealProxy, 'through' | 'throughToMember'>
  /** The same caller without kubectl, at the replica that serves or at another port; who asks for it closes it. */
  client(port?: number): ProxyClient
  /** The same caller at the management API of the replica that serves. */
  api(): ProxyClient
  /** A link that opens the console of the replica that serves, signed in as the same caller, once. */
  consoleLink(): Promise<string>
  /** A person with a client certificate, in these groups, at all that the replica serves; who asks for it closes it. */
  person(user: string, groups?: readonly string[]): Promise<ApiClient>
  close(): Promise<void>
}

/** More often than by default, so that the suites need not wait so long for an index that is stalled to be found out. */
const canaries = '--index-canary-interval-ms=5000'

/** A running `kairship apiserver`. */
export interface Replica {
  readonly engine: EngineProcess
  /** Where REST and the proxy listen. */
  readonly port: number
}

/** Starts a controller-manager and an apiserver, adopts an instance, and lets the robot in everywhere. */
export async function startRealProxy(stack: ProvidedStack, name: string): Promise<RealProxy> {
  const [instance, member] = ['karmada-east', 'member-1']
  const folder = join(stack.folder, name)
  mkdirSync(folder, { recursive: true })
  const host = new ApiClient(stack.host)
  const karmada = new ApiClient(stack.karmadas[instance]!)
  const memberClient = new ApiClient(stack.members[member]!)
  await installKairship(host)
  const authority = await CertificateAuthority.create('kairship-ca')
  const serving = await authority.issue({ commonName: 'kairship', hosts: ['127.0.0.1', 'localhost'] })
  const files = { ca: join(folder, 'ca.crt'), cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') }
  writeFileSync(files.ca, authority.certificate)
  writeFileSync(files.cert, serving.certificate)
  writeFileSync(files.key, serving.key, { mode: 0o600 })
  const manager = await startKairship(host, folder, `${name}-manager`, [canaries])
  const replicas: Replica[] = []
  const another = async (): Promise<Replica> => {
    const port = await freePort()
    const flags = [
      canaries,
      `--listen=127.0.0.1:${port}`,
      '--grpc-listen=127.0.0.1:0',
      `--tls-cert-file=${files.cert}`,
      `--tls-key-file=${files.key}`,
      `--client-ca-file=${files.ca}`,
    ]
    const called = `${name}-apiserver-${replicas.length + 1}`
    const replica = { engine: await startKairship(host, folder, called, flags, 'apiserver'), port }
    replicas.push(replica)
    return replica
  }
  const replica = await another()
  await discovered(karmada)
  await nodesReady(memberClient)
  await adopt(host, stack, instance)
  await becomesReady(host, instance)
  const witness = `witness-of-${name}-${Date.now().toString(36)}`
  await letIn({ host, member: memberClient, instance, caller: robot, witness })
  await inside(karmada)
  const token = await tokenOf(host, robot)
  const tokenFile = join(folder, 'token')
  writeFileSync(tokenFile, token, { mode: 0o600 })

  const serverAt = (port: number): string => `https://127.0.0.1:${port}`
  const proxyAt = (port: number): string =>
    `${serverAt(port)}/apis/kairship.io/v1alpha1/instances/${instance}/proxy`
  const server = serverAt(replica.port)
  const asked = ['kubeconfig', instance, '--server', server, '--token-file', tokenFile]
  const { stdout } = await promisify(execFile)(process.execPath, [
    kairshipProgram,
    ...asked,
    '--certificate-authority',
    files.ca,
  ])
  const credentials = stack.karmadas[instance]!
  // The same person without Kairship in between: the administrator, acting for them.
  const acting = kubeconfigText(instance, credentials).replace(
    / {6}client-certificate-data/,
    `      as: ${robot.user}\n      as-groups: ${JSON.stringify(robot.groups)}\n$&`,
  )
  const write = (file: string, text: string): string => {
    const path = join(folder, file)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const behind = (text: string): string =>
    text.replace(/^( +server: \S+)$/m, `$1/apis/cluster.karmada.io/v1alpha1/clusters/${member}/proxy`)
  const proxy: RealProxy = {
    instance,
    member,
    through: write('through.yaml', stdout),
    direct: write('direct.yaml', acting),
    throughToMember: write('through-to-member.yaml', behind(stdout)),
    directToMember: write('direct-to-member.yaml', behind(acting)),
    karmada,
    memberClient,
    replica,
    another,
    client: (port = replica.port) =>
      new ProxyClient({ server: proxyAt(port), ca: authority.certificate, token }),
    api: () => new ProxyClient({ server: serverAt(replica.port), ca: authority.certificate, token }),
    consoleLink: () => signInLink({ server, token, certificateAuthorityData: authority.certificate }),
    async person(user, groups = []) {
      const { certificate, key } = await authority.issue({ commonName: user, organizations: groups })
      const credentials = { clientCertificate: certificate, clientKey: key }
      return new ApiClient({ url: server, ca: authority.certificate, ...credentials })
    },
    at(port) {
      const moved = (text: string): string => text.replace(server, serverAt(port))
      return {
        through: write(`through-${port}.yaml`, moved(stdout)),
        throughToMember: write(`through-${port}-to-member.yaml`, moved(behind(stdout))),
      }
    },
    async close() {
      await host.send('DELETE', `/apis/kairship.io/v1alpha1/instances/${instance}`)
      await eventually(
        async () =>
          (await host.send('GET', `/apis/kairship.io/v1alpha1/instances/${instance}`)).status === 404,
        'the instance gone',
      )
      for (const { engine } of replicas) await engine.stop()
      await manager.stop()
      for (const client of [host, karmada, memberClient]) await client.close()
    },
  }
  await eventually(async () => {
    const path = `/apis/cluster.karmada.io/v1alpha1/clusters/${member}/proxy/api/v1/namespaces`
    const through = new ApiClient({ url: proxyAt(replica.port), ca: authority.certificate, token })
    try {
      return (await impersonatedIn(memberClient, witness)) && (await through.send('GET', path)).status === 200
    } finally {
      await through.close()
    }
  }, 'the robot let in as far as the member')
  return proxy
}

/** An aggregated API that was away is told of as stale for up to a minute after it is back, and clients give up on that. */
export async function discovered(karmada: ApiClient): Promise<void> {
  type Discovery = { items: { versions: { freshness: string }[] }[] }
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  await eventually(async () => {
    const { items } = await karmada.must<Discovery>('GET', '/apis', undefined, { accept })
    return items.every(({ versions }) => versions.every(({ freshness }) => freshness === 'Current'))
  }, 'every type of the instance discovered')
}

/** Nodes whose API server was away come to be Ready again some time after it. */
export async function nodesReady(member: ApiClient): Promise<void> {
  type Node = { status: { conditions?: { type: string; status: string }[] } }
  await eventually(async () => {
    const { items } = await member.must<{ items: Node[] }>('GET', '/api/v1/nodes')
    return items.every(({ status }) =>
      status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
    )
  }, 'the nodes of the member Ready')
}

export async function becomesReady(host: ApiClient, name: string): Promise<void> {
  type Instance = { status?: { phase?: string } }
  const path = `/apis/kairship.io/v1alpha1/instances/${name}`
  await eventually(
    async () => (await host.must<Instance>('GET', path)).status?.phase === 'Ready',
    `${name} Ready`,
  )
}
