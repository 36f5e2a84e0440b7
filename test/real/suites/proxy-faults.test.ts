import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type ExampleRequest, exchanges, toldBy } from '../../http/proxy/exchanges.js'
import { readAll } from '../../http/proxy/proxy-under-test.js'
import { runKubectl } from '../../scenarios/support/kubectl.js'
import type { ProxyClient } from '../../scenarios/support/proxy-client.js'
import { type Relay, relayTo } from '../../scenarios/support/relay.js'
import { RunningKubectl } from '../../scenarios/support/running-kubectl.js'
import { ApiClient } from '../api-client.js'
import { programPath } from '../build.js'
import { control } from '../control.js'
import { startPod } from '../pod.js'
import { eventually } from '../probe.js'
import { type RealProxy, startRealProxy } from '../proxy.js'
import { robot } from '../robot.js'

const east = 'karmada-east'
const pod = 'faulted'
const namespace = 'proxy-faults'
const secrets = `/api/v1/namespaces/${namespace}/secrets`
const maps = `/api/v1/namespaces/${namespace}/configmaps`
const tooLarge = 'a body beyond 3 MiB'
const protocols = [
  ['WebSocket', {}],
  ['SPDY', { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false' }],
] as const

/** What breaks between the proxy and a real Karmada, whose wire the tests cut, and in the index behind it. */
describe('the proxy before a faulty instance', () => {
  const stack = inject('stack')
  const kubectl = programPath('kubectl')
  const home = mkdtempSync(join(tmpdir(), 'kairship-faults-'))
  let wire: Relay
  let proxy: RealProxy
  let client: ProxyClient

  beforeAll(async () => {
    const port = Number(new URL(stack.karmadas[east]?.url ?? '').port)
    wire = await relayTo(port)
    const kubeconfig = join(home, 'over-the-wire.yaml')
    const text = readFileSync(stack.kubeconfigs[east] ?? '', 'utf8').replace(`:${port}`, `:${wire.port}`)
    writeFileSync(kubeconfig, text, { mode: 0o600 })
    const kubeconfigs = { ...stack.kubeconfigs, [east]: kubeconfig }
    proxy = await startRealProxy({ ...stack, kubeconfigs }, 'proxy-faults')
    client = proxy.client()
    await proxy.karmada.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    // Of an index that shows nothing Karmada is asked.
    await proxy.karmada.must('POST', maps, { metadata: { name: 'always-there' } })
    // More than what sockets on the way hold: 24 MiB.
    const filling = Buffer.alloc(384 * 1024, 'x').toString('base64')
    for (let index = 0; index < 48; index++)
      await proxy.karmada.must('POST', secrets, { metadata: { name: `large-${index}` }, data: { filling } })
    await startPod(pod, { kubeconfig: proxy.directToMember, home })
  })
  afterAll(async () => {
    client?.close()
    if (proxy) {
      await runKubectl(kubectl, ['delete', 'pod', pod, '--now'], { kubeconfig: proxy.directToMember, home })
      const karmada = new ApiClient(proxy.karmada.credentials)
      await karmada.send('DELETE', `/api/v1/namespaces/${namespace}`)
      await karmada.close()
      await proxy.close()
    }
    await wire?.close()
  })

  const create = (name: string) => proxy.karmada.must('POST', secrets, { metadata: { name } })
  const now = async (): Promise<string> => {
    const { metadata } = await proxy.karmada.must<{ metadata: { resourceVersion: string } }>(
      'GET',
      `${secrets}?limit=1`,
    )
    return metadata.resourceVersion
  }
  /** As the same person would ask Karmada: the administrator, acting for them. */
  async function directly(
    path: string,
    { method = 'GET', headers = {}, body }: ExampleRequest,
  ): Promise<IncomingMessage> {
    const { url, ca, clientCertificate, clientKey } = proxy.karmada.credentials
    const request = httpsRequest(url + path, {
      agent: false,
      method,
      ca,
      cert: clientCertificate,
      key: clientKey,
      headers: { 'impersonate-user': robot.user, 'impersonate-group': [...robot.groups], ...headers },
    })
    request.end(body)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return response
  }
  const exec = async (env: Record<string, string>): Promise<RunningKubectl> => {
    const words = ['exec', '-i', pod, '--', 'cat']
    const talk = new RunningKubectl(kubectl, words, { kubeconfig: proxy.throughToMember, home, env })
    talk.write('hello\n')
    await talk.said(/hello\n/)
    return talk
  }
  const reachable = () =>
    eventually(
      async () => (await client.ask('GET', `${secrets}?limit=1`)).status === 200,
      'Karmada is reached again',
    )

  describe('the proxy answers as the instance does directly:', () => {
    it.each(exchanges(secrets).filter(([what]) => what !== tooLarge))('%s', async (_, path, asked) => {
      const direct = await toldBy(await directly(path, asked))
      const request = client.begin(asked.method ?? 'GET', path, asked.headers)
      request.end(asked.body)
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      const through = await toldBy(response)
      expect(
        through.told === direct.told,
        `${direct.told.slice(0, 300)}\n${through.told.slice(0, 300)}`,
      ).toBe(true)
      expect({ ...through, told: '' }).toEqual({ ...direct, told: '' })
      expect(through.complete).toBe(true)
    })
  })

  it('a body over 3 MiB is refused with Karmada’s message, and nothing is stored', async () => {
    const [, path, { headers, body }] = exchanges(secrets).find(([what]) => what === tooLarge)!
    // Refused before it is read to its end, and the connection closed under it half a second later: who is slow never hears why.
    await eventually(async () => {
      const request = client.begin('POST', path, headers)
      request.on('error', () => undefined).end(body)
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      const { status, told } = await toldBy(response)
      return status === 413 && told.includes('Request entity too large: limit is 3145728')
    }, 'why it is refused')
    expect((await proxy.karmada.send('GET', `${secrets}/sized`)).status).toBe(404)
  })

  it('readers that disappear leave no connection to the instance open', async () => {
    await reachable()
    const from = await now()
    const path = `${secrets}?watch=true&resourceVersion=${from}`
    const watches = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const request = client.begin('GET', path)
        request.on('error', () => undefined).end()
        await once(request, 'response')
        return request
      }),
    )
    // Others connect as they like, before and after.
    const open = wire.connections()
    expect(open.size).toBeGreaterThanOrEqual(50)
    for (const request of watches) request.destroy()
    await eventually(
      async () => [...open].filter(one => wire.connections().has(one)).length <= open.size - 50,
      'a connection less for each of them',
    )
  })

  it('a list that breaks in the middle breaks for its reader, and is never shorter', async () => {
    const request = client.begin('GET', secrets)
    request.end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.on('error', () => undefined) // looked at below
    await once(response, 'readable')
    wire.cut()
    const read = readAll(response)
    response.resume()
    const { bytes, complete } = await read
    expect([bytes.length > 0, complete]).toEqual([true, false])
    await reachable()
  })

  it('a broken watch is resumed by its reader without lost or repeated events', async () => {
    const first = await client.watch(secrets, await now())
    await create('before-the-cut')
    await eventually(async () => first.events.length > 0, 'the first event')
    wire.cut()
    await first.ended
    await create('meanwhile')
    await reachable()
    const second = await client.watch(secrets, first.version ?? '')
    await create('after-the-cut')
    await eventually(async () => second.events.length > 1, 'both events')
    expect([...first.names(), ...second.names()]).toEqual(['before-the-cut', 'meanwhile', 'after-the-cut'])
  })

  it.each(protocols)(
    'exec over %s ends when its connection is cut, and the next exec works',
    async (protocol, env) => {
      const talk = await exec(env)
      wire.cut()
      // Over SPDY kubectl takes any end of the connection for the end of the command.
      expect(await talk.ended).toBe(protocol === 'SPDY' ? 0 : 1)
      await reachable()
      const next = await exec(env)
      await next.stop()
    },
  )

  it.each([
    ['clusterpedia-apiserver', 'is down'],
    ['postgres', 'has lost its database, and answers 500'],
  ])('a list comes from Karmada with a warning while the index %s %s', async engine => {
    const from = async (source: string) =>
      (await client.ask('GET', maps)).headers['kairship-source'] === source
    await eventually(() => from('index'), 'the index answers')
    await control(stack.control, engine, 'stop')
    try {
      const { status, headers } = await client.ask('GET', maps)
      expect([status, headers['kairship-source']]).toEqual([200, 'karmada'])
      expect(headers.warning).toMatch(/answered by Karmada: /)
    } finally {
      await control(stack.control, engine, 'start')
    }
    await eventually(() => from('index'), 'the index answers again')
  })

  it('while the index is stalled writers read from Karmada, and every reader gets a warning once the canary has noticed', async () => {
    const list = () => client.ask('GET', maps)
    const manager = (action: 'freeze' | 'thaw') =>
      control(stack.control, 'clusterpedia-clustersynchro-manager', action)
    const indexAnswers = () =>
      eventually(async () => (await list()).headers['kairship-source'] === 'index', 'the index answers')
    await indexAnswers()
    await manager('freeze')
    try {
      expect((await client.ask('POST', maps, { metadata: { name: 'own' } })).status).toBe(201)
      const own = await list()
      expect([own.headers['kairship-source'], own.text.includes('"name":"own"')]).toEqual(['karmada', true])
      let last: Awaited<ReturnType<typeof list>> | undefined
      await eventually(
        async () => {
          last = await list()
          const warning = String(last.headers.warning)
          // Frozen while it said that it was in trouble, it says so from then on, and no canary is sent.
          if (/says that it may be out of date/.test(warning)) {
            await manager('thaw')
            await indexAnswers()
            await manager('freeze')
          }
          return /the index is stalled/.test(warning)
        },
        () => `the canary has told; the last answer: ${last?.status} ${JSON.stringify(last?.headers)}`,
      )
    } finally {
      await manager('thaw')
    }
    await indexAnswers()
    expect((await list()).text).toContain('"name":"own"')
    await client.ask('DELETE', `${maps}/own`)
  })

  it('deleting an instance ends its watches and commands, and it is not found after that', async () => {
    const watch = await client.watch(secrets, await now())
    const talks = await Promise.all(protocols.map(([, env]) => exec(env)))
    const host = new ApiClient(stack.host)
    await host.must('DELETE', `/apis/kairship.io/v1alpha1/instances/${proxy.instance}`)
    expect([await watch.ended, watch.rest]).toEqual(['whole', ''])
    await Promise.all(talks.map(({ ended }) => ended))
    await eventually(async () => (await client.ask('GET', secrets)).status === 404, 'the instance not found')
    await host.close()
  })
})
