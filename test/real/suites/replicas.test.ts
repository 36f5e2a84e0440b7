import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { runKubectl } from '../../scenarios/support/kubectl.js'
import { NumberedWrites, oncePerNumber } from '../../scenarios/support/proxy-client.js'
import { RunningKubectl } from '../../scenarios/support/running-kubectl.js'
import { type Service, serviceBefore } from '../../scenarios/support/service.js'
import type { ApiObject } from '../api-client.js'
import { programPath } from '../build.js'
import { needInotifyInstances } from '../inotify.js'
import { startPod } from '../pod.js'
import { eventually } from '../probe.js'
import { type RealProxy, type Replica, startRealProxy } from '../proxy.js'

const pod = 'stayer'
const spdy = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }

/** Two replicas before a real Karmada, and clients that reach them as through a Service: what ends, and how it goes on. */
describe('two replicas behind a Service', () => {
  const stack = inject('stack')
  /** A stack that is kept has the namespaces of the run before. */
  const run = Date.now().toString(36)
  const kubectl = programPath('kubectl')
  const home = mkdtempSync(join(tmpdir(), 'kairship-replicas-'))
  let proxy: RealProxy
  let other: Replica
  let service: Service
  let behind: Pick<RealProxy, 'through' | 'throughToMember'>

  const inMember = (words: readonly string[], env = {}): RunningKubectl =>
    new RunningKubectl(kubectl, words, { kubeconfig: behind.throughToMember, home, env })
  const leads = async ({ port }: Replica): Promise<void> => {
    const client = proxy.client(port)
    const path = '/api/v1/namespaces/default/configmaps'
    await eventually(async () => (await client.ask('GET', path)).status === 200, 'the replica leads there')
    client.close()
  }
  const configMaps = (namespace: string) =>
    proxy.karmada.must<{ items: ApiObject[] }>('GET', `/api/v1/namespaces/${namespace}/configmaps`)
  /** Waits until so many objects were written since. */
  const goesOn = async (namespace: string): Promise<void> => {
    const versions = async () =>
      new Set((await configMaps(namespace)).items.map(one => one.metadata.resourceVersion))
    const before = await versions()
    await eventually(
      async () => [...(await versions())].filter(version => !before.has(version)).length >= 20,
      `objects change in ${namespace}`,
    )
  }

  beforeAll(async () => {
    needInotifyInstances(16)
    proxy = await startRealProxy(stack, 'replicas')
    other = await proxy.another()
    service = await serviceBefore(proxy.replica.port)
    behind = proxy.at(service.port)
    await startPod(pod, { kubeconfig: proxy.throughToMember, home })
  })
  afterAll(async () => {
    if (!proxy) return
    await runKubectl(kubectl, ['delete', 'pod', pod, '--now'], { kubeconfig: proxy.directToMember, home })
    await service?.close()
    await proxy.close()
  })

  /** Informers and watchers of every kind that client-go has, which judge what they saw when they are stopped. */
  async function churn(namespace: string): Promise<RunningKubectl> {
    const sides = ['--direct', proxy.direct, '--through', behind.through, '--namespace', namespace]
    const flags = ['--cut', '0', '--expire', '0', '--seconds', '3600']
    const program = new RunningKubectl(programPath('informer'), ['churn', ...sides, ...flags], {
      kubeconfig: '',
      home,
    })
    await goesOn(namespace)
    return program
  }

  it('let kubectl get -w print each object once, also when the index could answer its list', async () => {
    const namespace = `watched-once-${run}`
    const path = `/api/v1/namespaces/${namespace}/configmaps`
    await proxy.karmada.must('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    })
    const create = (name: string) =>
      proxy.karmada.must('POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
    for (const name of ['first', 'second', 'third']) await create(name)
    const client = proxy.client()
    await eventually(async () => {
      const { headers, text } = await client.ask('GET', path)
      return headers['kairship-source'] === 'index' && text.includes('"third"')
    }, 'the index shows the objects')
    const words = ['get', 'configmaps', '-n', namespace, '-w', '-o', 'name']
    const watching = new RunningKubectl(kubectl, words, { kubeconfig: proxy.through, home })
    await watching.said(/third\n/)
    await create('fourth')
    await watching.said(/fourth\n/)
    await watching.stop()
    client.close()
    const printed = watching.stdout.split('\n').filter(line => /first|second|third|fourth/.test(line))
    expect(printed).toEqual(['first', 'second', 'third', 'fourth'].map(name => `configmap/${name}`))
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'after %s of one, informers continue at the other without a list, and no event or write is lost or repeated',
    async signal => {
      const namespace = `replicas-${signal.toLowerCase()}-${run}`
      const leaving = proxy.replica
      if (leaving.engine.pid === undefined) await leaving.engine.start()
      await leads(leaving)
      await leads(other)
      service.leadTo(leaving.port)
      await proxy.karmada.must('POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      })
      const informers = await churn(namespace)
      const client = proxy.client(service.port)
      const path = `/api/v1/namespaces/${namespace}-numbered/configmaps`
      await proxy.karmada.must('POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: `${namespace}-numbered` },
      })
      const writes = new NumberedWrites(client, path)
      // With its version, because what changes is printed again.
      const columns = 'custom-columns=:.metadata.name,:.metadata.resourceVersion'
      const words = ['get', 'configmaps', '-n', `${namespace}-numbered`, '-w', '--no-headers', '-o', columns]
      const watching = new RunningKubectl(kubectl, words, { kubeconfig: behind.through, home })
      await watching.said(/numbered-/)
      const following = inMember(['logs', '-f', pod])
      await following.said(/a second line\n/)
      const talks = [
        inMember(['exec', '-i', pod, '--', 'cat']),
        inMember(['exec', '-i', pod, '--', 'cat'], spdy),
      ]
      for (const talk of talks) {
        talk.write('hello\n')
        await talk.said(/hello\n/)
      }
      const forwards = [
        inMember(['port-forward', `pod/${pod}`, ':80']),
        inMember(['port-forward', `pod/${pod}`, ':80'], spdy),
      ]
      const forwarded = await Promise.all(forwards.map(echo))
      const inFlight = await client.beginCreate(path, { metadata: { name: 'in-flight' } })
      const { body: list } = await proxy.karmada.send('GET', path)
      const watch = await client.watch(
        path,
        (list as { metadata: { resourceVersion: string } }).metadata.resourceVersion,
      )

      service.leadTo(other.port)
      const ended = signal === 'SIGTERM' ? leaving.engine.stop() : leaving.engine.crash()
      expect(await watch.ended).toBe(signal === 'SIGTERM' ? 'whole' : 'broken')
      if (signal === 'SIGTERM') {
        inFlight.sayTheRest()
        expect((await inFlight.answer).status).toBe(201)
        expect(await ended).toEqual({ code: 0, signal: null })
      } else {
        await expect(inFlight.answer).rejects.toThrow()
        await ended
      }
      // None of these hangs on a connection that nobody serves any more. That its end was meant, logs can tell; over SPDY
      // kubectl takes any end for the end of a command, and over WebSocket none that the protocol did not say.
      for (const { closed } of forwarded) await closed
      const codes = [following, ...talks, ...forwards].map(({ ended }) => ended)
      expect(await Promise.all(codes)).toEqual([signal === 'SIGTERM' ? 0 : 1, 1, 0, 1, 1])
      for (const { stderr } of forwards) expect(stderr).toContain('lost connection to pod')

      await goesOn(namespace)
      await goesOn(`${namespace}-numbered`)
      await writes.end()
      const { items } = await configMaps(`${namespace}-numbered`)
      oncePerNumber(writes, items as never[])
      // kubectl goes on by itself, or ends; it prints nothing twice.
      const printed = (): string[] => watching.stdout.split('\n').slice(0, -1)
      const missing = () => items.filter(({ metadata }) => !watching.stdout.includes(`${metadata.name} `))
      await Promise.race([waitFor(() => expect(missing()).toEqual([])), watching.ended])
      expect(new Set(printed()).size).toBe(printed().length)
      await informers.stop()
      const { views } = JSON.parse(informers.stdout) as {
        views: { name: string; lists: number; wrong?: string }[]
      }
      expect(views.map(({ name, lists, wrong }) => [name, lists, wrong])).toEqual(
        views.map(({ name }) => [name, name.endsWith('watcher') ? 0 : 1, undefined]),
      )
      await watching.stop()
      client.close()
    },
  )
})

/** A connection through a port-forward that has carried something. */
async function echo(forward: RunningKubectl): Promise<{ closed: Promise<unknown> }> {
  const [, port] = await forward.said(/Forwarding from 127\.0\.0\.1:(\d+) -> 80/)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => undefined) // a break is an end, too
  const closed = new Promise(resolve => socket.once('close', resolve))
  socket.resume().write('hello\n')
  await once(socket, 'data')
  return { closed }
}
