import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { Attach, Exec, KubeConfig, PortForward, type V1Status } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type WebSocket from 'ws'
import { waitFor } from '../../../patience.js'
import { kubectls, runKubectl } from '../../../scenarios/support/kubectl.js'
import { RunningKubectl } from '../../../scenarios/support/running-kubectl.js'
import { letIn, type PlaygroundProxy, startPlaygroundProxy } from '../playground-proxy.js'

let proxy: PlaygroundProxy
const namespace = 'default'
const pod = 'talker'

beforeAll(async () => {
  proxy = await startPlaygroundProxy()
  await letIn(proxy)
  const { local } = proxy.playground.members.get(proxy.member)!.server
  const path = `/api/v1/namespaces/${namespace}/pods`
  const spec = { nodeName: `${proxy.member}-node-1`, containers: [{ name: 'main', image: 'talker' }] }
  await local.request({ method: 'POST', path, body: { metadata: { name: pod }, spec } })
  await waitFor(async () => {
    const { status } = await local.request<{ status?: { phase?: string } }>({
      method: 'GET',
      path: `${path}/${pod}`,
    })
    expect(status?.phase).toBe('Running')
  })
})
afterAll(() => proxy?.close())

function configOf(as: 'admin' | 'viewer' | 'direct'): KubeConfig {
  const config = new KubeConfig()
  config.loadFromString(proxy.memberKubeconfig(as))
  return config
}

interface Output {
  readonly stream: Writable
  text(): string
}

function output(): Output {
  let text = ''
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk
      done()
    },
  })
  stream.on('error', () => undefined) // broken when its reader leaves
  return { stream, text: () => text }
}

/** A command that runs: what it said so far, how it ended, and the socket it runs over. */
async function exec(as: 'admin' | 'viewer' | 'direct', command: string[], stdin: PassThrough | null = null) {
  const [stdout, stderr] = [output(), output()]
  let ended: V1Status | undefined
  const socket = (await new Exec(configOf(as)).exec(
    namespace,
    pod,
    'main',
    command,
    stdout.stream,
    stderr.stream,
    stdin,
    false,
    status => {
      ended = status
    },
  )) as unknown as WebSocket
  return { stdout, stderr, socket, ended: () => ended }
}

describe('containers of a member, behind clusters/{member}/proxy, through the proxy', () => {
  it('exec transfers a command’s output and exit code, as a direct connection does', async () => {
    for (const as of ['direct', 'admin'] as const) {
      const { stdout, stderr, ended } = await exec(as, ['sh', '-c', 'echo out; echo err >&2; exit 3'])
      await waitFor(() => expect(ended()).toMatchObject({ reason: 'NonZeroExitCode' }))
      expect([as, stdout.text(), stderr.text()]).toEqual([as, 'out\n', 'err\n'])
    }
  })

  it('exec is interactive, and transfers large input both ways', async () => {
    const stdin = new PassThrough()
    const { stdout, ended } = await exec('admin', ['cat'], stdin)
    stdin.write('hello\n')
    await waitFor(() => expect(stdout.text()).toBe('hello\n'))
    const large = 'x'.repeat(2 * 1024 * 1024)
    stdin.end(large)
    await waitFor(() => expect(ended()).toMatchObject({ status: 'Success' }))
    expect(stdout.text() === `hello\n${large}`).toBe(true)
  })

  it('attach prints later output of the container, and sends it input', async () => {
    const [stdout, stdin] = [output(), new PassThrough()]
    const opened = new Attach(configOf('admin')).attach(
      namespace,
      pod,
      'main',
      stdout.stream,
      null,
      stdin,
      false,
    )
    const socket = (await opened) as unknown as WebSocket
    stdin.write('typed\n')
    await waitFor(() => expect(stdout.text()).toContain('typed\n'))
    await exec('direct', ['log', 'written by itself'])
    await waitFor(() => expect(stdout.text()).toContain('written by itself\n'))
    socket.close()
  })

  it('port-forward connects to a port', async () => {
    const [received, sent] = [output(), new PassThrough()]
    const opened = await new PortForward(configOf('admin')).portForward(
      namespace,
      pod,
      [80],
      received.stream,
      null,
      sent,
    )
    sent.write('hello')
    await waitFor(() => expect(received.text()).toBe('hello'))
    const socket = typeof opened === 'function' ? opened() : opened
    socket?.close()
  })

  it('exec is closed when the member breaks the connection, and the next one works', async () => {
    const stdin = new PassThrough()
    const { stdout, socket, ended } = await exec('admin', ['cat'], stdin)
    stdin.write('hello')
    await waitFor(() => expect(stdout.text()).toBe('hello'))
    const closed = new Promise<number>(resolve => socket.once('close', resolve))
    proxy.playground.members.get(proxy.member)!.server.interrupt({ kind: 'cutConnections' })()
    // 1006: it ended without a closing handshake. Nothing took it for an end of the command.
    expect(await closed).toBe(1006)
    expect(ended()).toBeUndefined()
    const again = await exec('admin', ['echo', 'again'])
    await waitFor(() => expect(again.ended()).toMatchObject({ status: 'Success' }))
  })

  it('exec by a reader is refused by Kairship before Karmada is reached', async () => {
    await expect(exec('viewer', ['true'])).rejects.toMatchObject({ message: expect.stringContaining('403') })
  })
})

describe.each(kubectls())('%s', kubectl => {
  let kubeconfig: string
  beforeAll(async () => {
    kubeconfig = join(proxy.folder, 'containers')
    await writeFile(kubeconfig, proxy.memberKubeconfig('admin'), { mode: 0o600 })
  })
  const options = () => ({ kubeconfig, home: join(proxy.folder, 'home') })
  const run = (...words: string[]) => runKubectl(kubectl, words, options())

  it('logs, whole and partial, are those of the member', async () => {
    expect((await run('logs', pod)).stdout).toMatch(/^simulated container main of image talker\n/)
    expect((await run('logs', pod, '--tail=1')).stdout).toMatch(/^[^\n]+\n$/)
    expect((await run('logs', pod, '--timestamps', '--tail=1')).stdout).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z /)
    expect((await run('logs', pod, '-c', 'absent')).stderr).toContain('container absent is not valid')
  })

  it('logs -f prints each line when it is written', async () => {
    const following = new RunningKubectl(kubectl, ['logs', '-f', '--tail=1', pod], options())
    for (const line of ['one', 'two']) {
      // Whatever it knows already is there once the first of these is.
      await exec('direct', ['log', `${line} for ${kubectl}`])
      if (line === 'one') await waitFor(() => expect(following.stdout).not.toBe(''))
    }
    await following.said(/two for [^\n]*\n/)
    await following.stop()
  })

  it('exec works over WebSocket and SPDY, whichever it speaks', async () => {
    const { code, stdout } = await run('exec', pod, '--', 'sh', '-c', 'echo out; exit 3')
    expect([code, stdout]).toEqual([3, 'out\n'])
  })

  it('exec returns a large input of a command unchanged', async () => {
    const input = Buffer.alloc(300_000, 'kairship ').toString()
    const words = ['exec', '-i', pod, '--', 'cat']
    const { code, stdout } = await runKubectl(kubectl, words, { ...options(), input })
    expect([code, stdout === input]).toEqual([0, true])
  })

  it('port-forward echoes the data of each of its connections', async () => {
    const forwarding = new RunningKubectl(kubectl, ['port-forward', pod, ':80'], options())
    const [, port] = await forwarding.said(/Forwarding from 127\.0\.0\.1:(\d+) -> 80/)
    const echo = (text: string): Promise<string> =>
      new Promise((resolve, reject) => {
        let received = ''
        const socket = connect(Number(port), '127.0.0.1', () => socket.end(text))
        socket.on('data', data => (received += data))
        socket.on('end', () => resolve(received))
        socket.on('error', reject)
      })
    const texts = ['one', 'x'.repeat(200_000), 'three']
    expect(await Promise.all(texts.map(echo))).toEqual(texts)
    await forwarding.stop()
  })
})
