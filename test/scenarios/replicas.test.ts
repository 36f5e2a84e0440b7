import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Exec, KubeConfig } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type WebSocket from 'ws'
import type { KubeList, KubeObject } from '../../manifests/kube.js'
import { createAuthority } from '../../playground/apiserver/access/certificates.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { letIn } from '../http/proxy/playground-proxy.js'
import { waitFor } from '../patience.js'
import { kubeconfigText } from '../real/api-client.js'
import { eventually } from './support/eventually.js'
import { KairshipProcess } from './support/kairship-process.js'
import { NumberedWrites, oncePerNumber, ProxyClient } from './support/proxy-client.js'
import { Scenario } from './support/scenario.js'
import { type Service, serviceBefore } from './support/service.js'

const pod = 'talker'

interface Replica {
  readonly process: KairshipProcess
  readonly port: number
}

/**
 * Replicas of `kairship apiserver` as processes, and clients that reach them as through a Service. With kubectl and client-go:
 * `test/real/suites/replicas.test.ts`.
 */
describe('of two replicas before a Karmada', () => {
  let scenario: Scenario
  let authority: { readonly certificate: string }
  let flags: readonly string[]
  let service: Service
  let proxy: string
  let member: string
  let karmada: KubeApi

  const start = async (): Promise<Replica> => {
    const process = KairshipProcess.start(['apiserver', ...flags])
    scenario.replicas.push(process)
    const { url } = await process.said('the API is listening')
    const port = Number(new URL(String(url)).port)
    const client = clientAt(port)
    await eventually(
      'it leads to the instance',
      async () => (await client.ask('GET', '/version')).status === 200,
      scenario.patience,
    )
    client.close()
    return { process, port }
  }
  const proxyAt = (port: number) => ({
    server: `https://127.0.0.1:${port}${proxy}`,
    ca: authority.certificate,
    token: scenario.playground.tokens.admin,
  })
  const clientAt = (port: number) => new ProxyClient(proxyAt(port))

  beforeAll(async () => {
    scenario = await Scenario.start({ members: 1 })
    const { playground, folder } = scenario
    const [instance = ''] = playground.karmadas.keys()
    proxy = `/apis/kairship.io/v1alpha1/instances/${instance}/proxy`
    karmada = playground.karmadas.get(instance)!.server.local
    member = [...playground.members.keys()][0] ?? ''
    const made = await createAuthority('kairship')
    const { certificate, key } = made.issueServing()
    authority = made
    const files = { kubeconfig: playground.kubeconfigs.apiserver, 'tls.crt': certificate, 'tls.key': key }
    const at = (file: string) => join(folder, `apiserver-${file}`)
    for (const [file, text] of Object.entries(files)) await writeFile(at(file), text, { mode: 0o600 })
    flags = [
      ...[
        '--kubeconfig',
        at('kubeconfig'),
        '--tls-cert-file',
        at('tls.crt'),
        '--tls-key-file',
        at('tls.key'),
      ],
      ...['listen', 'grpc-listen', 'health-listen'].flatMap(flag => [`--${flag}`, '127.0.0.1:0']),
      ...['--log-format', 'json'],
    ]
    scenario.replica('controllers')
    await scenario.phase(instance, 'Ready')
    await letIn({ playground })
    await playground.members.get(member)!.server.local.request({
      method: 'POST',
      path: '/api/v1/namespaces/default/pods',
      body: {
        metadata: { name: pod },
        spec: { nodeName: `${member}-node-1`, containers: [{ name: 'main', image: pod }] },
      },
    })
  })
  afterAll(() => scenario?.end())

  /** Clients of every kind, all on one replica, in a namespace of their own. */
  async function clients(namespace: string) {
    await karmada.request({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { metadata: { name: namespace } },
    })
    const path = `/api/v1/namespaces/${namespace}/configmaps`
    const list = () => karmada.request<KubeList<KubeObject>>({ method: 'GET', path })
    const client = clientAt(service.port)
    const from = (await list()).metadata.resourceVersion ?? ''
    const watch = await client.watch(path, from)
    const writes = new NumberedWrites(client, path)
    const { server, ...rest } = proxyAt(service.port)
    const config = new KubeConfig()
    const behind = `${server}/apis/cluster.karmada.io/v1alpha1/clusters/${member}/proxy`
    config.loadFromString(kubeconfigText('member', { url: behind, ...rest }))
    const stdout = new PassThrough()
    const talk = (await eventually('the pod is reached', () =>
      new Exec(config).exec('default', pod, 'main', ['cat'], stdout, null, new PassThrough(), false),
    )) as unknown as WebSocket
    const talkEnded = once(talk, 'close')
    const inFlight = await client.beginCreate(path, { metadata: { name: 'in-flight' } })
    await eventually('all of them are at it', () => watch.events.length > 20 && writes.done.size > 20)
    return {
      from,
      path,
      list,
      client,
      watch,
      writes,
      talkEnded,
      inFlight,
    }
  }

  /** Names of what was made since, in the order in which it was made. */
  const madeSince = (from: string, { items }: KubeList<KubeObject>) =>
    [...items]
      .map(({ metadata: { name, resourceVersion } }) => ({ name, version: Number(resourceVersion) }))
      .filter(({ version }) => version > Number(from))
      .sort((a, b) => a.version - b.version)
      .map(({ name }) => name)

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'one gets %s: a client at the other misses nothing, and gets and writes nothing twice',
    async signal => {
      const [leaving, staying] = [await start(), await start()]
      service = await serviceBefore(leaving.port)
      const { from, path, list, client, watch, writes, talkEnded, inFlight } = await clients(
        signal.toLowerCase(),
      )
      service.leadTo(staying.port)
      leaving.process.kill(signal)
      expect(await watch.ended).toBe(signal === 'SIGTERM' ? 'whole' : 'broken')
      if (signal === 'SIGTERM') {
        expect(watch.rest).toBe('')
        inFlight.sayTheRest()
        expect((await inFlight.answer).status).toBe(201)
      } else await expect(inFlight.answer).rejects.toThrow()
      await talkEnded
      const ending = await leaving.process.ended
      expect(ending).toEqual(
        signal === 'SIGTERM' ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' },
      )

      const next = await client.watch(path, watch.version ?? '')
      const before = writes.done.size
      await eventually('writing goes on at the other', () => writes.done.size > before + 20)
      await writes.end()
      const last = await list()
      await waitFor(() => expect([...watch.names(), ...next.names()]).toEqual(madeSince(from, last)))
      oncePerNumber(writes, last.items)
      client.close()
      staying.process.kill('SIGTERM')
      expect(await staying.process.ended).toEqual({ code: 0, signal: null })
      await service.close()
    },
  )
})
