import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { NumberedWrites, oncePerNumber } from '../../scenarios/support/door-client.js'
import { runKubectl } from '../../scenarios/support/kubectl.js'
import { RunningKubectl } from '../../scenarios/support/running-kubectl.js'
import { type Service, serviceBefore } from '../../scenarios/support/service.js'
import type { ApiObject } from '../api-client.js'
import { programPath } from '../build.js'
import { type RealDoor, type Replica, startRealDoor } from '../door.js'
import { startPod } from '../pod.js'
import { eventually } from '../probe.js'

const pod = 'stayer'
const spdy = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }

/** Two replicas before a real Karmada, and clients that reach them as through a Service: what ends, and how it goes on. */
describe('of two replicas behind a Service', () => {
  const stack = inject('stack')
  const kubectl = programPath('kubectl')
  const home = mkdtempSync(join(tmpdir(), 'kairship-replicas-'))
  let door: RealDoor
  let other: Replica
  let service: Service
  let behind: Pick<RealDoor, 'through' | 'throughToMember'>

  const inMember = (words: readonly string[], env = {}): RunningKubectl =>
    new RunningKubectl(kubectl, words, { kubeconfig: behind.throughToMember, home, env })
  const leads = async ({ port }: Replica): Promise<void> => {
    const client = door.client(port)
    const path = '/api/v1/namespaces/default/configmaps'
    await eventually(async () => (await client.ask('GET', path)).status === 200, 'the replica leads there')
    client.close()
  }
  const configMaps = (namespace: string) =>
    door.karmada.must<{ items: ApiObject[] }>('GET', `/api/v1/namespaces/${namespace}/configmaps`)
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
    door = await startRealDoor(stack, 'replicas')
    other = await door.another()
    service = await serviceBefore(door.replica.port)
    behind = door.at(service.port)
    await startPod(pod, { kubeconfig: door.throughToMember, home })
  })
  afterAll(async () => {
    if (!door) return
    await runKubectl(kubectl, ['delete', 'pod', pod, '--now'], { kubeconfig: door.directToMember, home })
    await service?.close()
    await door.close()
  })

  /** Informers and watchers of every kind that client-go has, which judge what they saw when they are stopped. */
  async function churn(namespace: string): Promise<RunningKubectl> {
    const sides = ['--direct', door.direct, '--through', behind.through, '--namespace', namespace]
    const flags = ['--cut', '0', '--expire', '0', '--seconds', '3600']
    const program = new RunningKubectl(programPath('informer'), ['churn', ...sides, ...flags], {
      kubeconfig: '',
      home,
    })
    await goesOn(namespace)
    return program
  }

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'one gets %s: informers go on at the other without listing again, nothing is missed, doubled or written twice',
    async signal => {
      const namespace = `replicas-${signal.toLowerCase()}`
      const leaving = door.replica
      if (leaving.engine.pid === undefined) await leaving.engine.start()
      await leads(leaving)
      await leads(other)
      service.leadTo(leaving.port)
      await door.karmada.must('POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      })
      const informers = await churn(namespace)
      const client = door.client(service.port)
      const path = `/api/v1/namespaces/${namespace}-numbered/configmaps`
      await door.karmada.must('POST', '/api/v1/namespaces', {
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
      const { body: list } = await door.karmada.send('GET', path)
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
