import { once } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { type ConnectionOptions, connect } from 'node:tls'
import { Attach, Exec, KubeConfig, Log, PortForward, type V1Status } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Member, startMember } from '../../../playground/member/member.js'
import { fakeLog } from '../../http/fakes/log.js'
import { waitFor } from '../../patience.js'

let member: Member
let config: KubeConfig

beforeAll(async () => {
  member = await startMember({ name: 'kubelet', log: fakeLog(), podStartMs: 0 })
  config = new KubeConfig()
  config.loadFromString(await member.server.kubeconfig({ name: 'admin', groups: ['system:masters'] }))
  await runPod('talker', { name: 'main', image: 'talker' }, { name: 'side', image: 'listener' })
  await phaseOf('talker', 'Running')
})
afterAll(() => member?.close())

const PODS = '/api/v1/namespaces/default/pods'

const runPod = (name: string, ...containers: readonly object[]) =>
  member.server.local.request({
    method: 'POST',
    path: PODS,
    body: { metadata: { name }, spec: { nodeName: 'node-1', containers } },
  })

const phaseOf = (name: string, phase: string) =>
  waitFor(async () => {
    const pod = await member.server.local.request<{ status?: { phase?: string } }>({
      method: 'GET',
      path: `${PODS}/${name}`,
    })
    expect(pod.status?.phase).toBe(phase)
  })

/** What is written to it, as text. */
function collector(): { stream: Writable; text: () => string } {
  let text = ''
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk
      done()
    },
  })
  // client-node pipes an answer into it, and leaves it to us that it breaks when the reader leaves.
  stream.on('pipe', source => source.on('error', () => undefined))
  return { stream, text: () => text }
}

async function exec(command: string[], input?: string, container = 'main', pod = 'talker') {
  const [stdout, stderr] = [collector(), collector()]
  const stdin = input === undefined ? null : new PassThrough()
  const status = new Promise<V1Status>((resolve, reject) => {
    new Exec(config)
      .exec('default', pod, container, command, stdout.stream, stderr.stream, stdin, false, resolve)
      .catch(reject)
  })
  stdin?.end(input)
  const { status: ended, message, details } = await status
  return {
    stdout: stdout.text(),
    stderr: stderr.text(),
    ended,
    message,
    code: details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message,
  }
}

/** Of a WebSocket's normal closure. */
const GOOD_BYE = Buffer.of(0x03, 0xe8)

/** As a client sends it, with a mask of zeros. */
function frame(kind: number, data: Buffer): Buffer {
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(data.length))
  const small = data.length < 126
  return Buffer.concat([
    Buffer.of(kind, 0x80 | (small ? data.length : 127)),
    small ? Buffer.alloc(0) : length,
    Buffer.alloc(4),
    data,
  ])
}

/** On the channel of the input. */
const message = (data: Buffer): Buffer => frame(0x82, Buffer.concat([Buffer.of(0), data]))

/** Runs a command that reads nothing, with an input that is there before anything is answered. */
const execUnread = (input: Buffer, query = '&stdin=true') =>
  upgrade(`pods/talker/exec?command=true${query}`, input)

/** Asks for channels, and sends on them before they are granted. */
async function upgrade(asked: string, input: Buffer) {
  const access: Pick<ConnectionOptions, 'ca' | 'cert' | 'key'> = {}
  await config.applyToHTTPSOptions(access)
  const { hostname, port } = new URL(config.getCurrentCluster()?.server ?? '')
  const socket = connect({ ...access, host: hostname, port: Number(port), ALPNProtocols: ['http/1.1'] })
  let answer = ''
  socket.on('data', data => {
    answer += data.toString('latin1')
  })
  const request = [
    `GET /api/v1/namespaces/default/${asked} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
    'Sec-WebSocket-Protocol: v5.channel.k8s.io, v4.channel.k8s.io',
  ]
  socket.write(Buffer.concat([Buffer.from(`${request.join('\r\n')}\r\n\r\n`), input]))
  return { socket, answer: () => answer }
}

describe('exec in a simulated container', () => {
  it('returns stdout, stderr and the exit code', async () => {
    expect(await exec(['echo', 'hello', 'you'])).toMatchObject({ stdout: 'hello you\n', ended: 'Success' })
    expect(await exec(['sh', '-c', "echo out; echo 'to you' >&2; exit 3"])).toEqual({
      stdout: 'out\n',
      stderr: 'to you\n',
      ended: 'Failure',
      message: 'command terminated with non-zero exit code: exit status 3',
      code: '3',
    })
    expect(await exec(['env'], undefined, 'side')).toMatchObject({
      stdout: 'HOSTNAME=talker\nPOD_NAMESPACE=default\nCONTAINER=side\n',
    })
    expect(await exec(['sh', '-c', 'nonsense'])).toMatchObject({
      stderr: 'sh: nonsense: not found\n',
      code: '127',
    })
  })

  it('has one output in a terminal, whose lines end as a terminal’s', async () => {
    const { stream, text } = collector()
    const command = ['sh', '-c', 'echo out; echo problem >&2']
    await new Promise<V1Status>((resolve, reject) => {
      new Exec(config)
        .exec('default', 'talker', 'main', command, stream, null, null, true, resolve)
        .catch(reject)
    })
    expect(text()).toBe('out\r\nproblem\r\n')
  })

  it.each([
    ['300', 44, ''],
    ['abc', 2, 'sh: exit: Illegal number: abc\n'],
    ['-1', 2, 'sh: exit: Illegal number: -1\n'],
    ['1.5', 2, 'sh: exit: Illegal number: 1.5\n'],
  ])('that exits with %s returns %i as a shell does', async (asked, code, stderr) => {
    const ended = { stderr, ended: 'Failure', code: String(code) }
    expect(await exec(['sh', '-c', `exit ${asked}; echo on`])).toMatchObject({ ...ended, stdout: '' })
    expect(await exec(['exit', asked])).toMatchObject(ended)
  })

  it('returns a large input of a command unchanged', async () => {
    const input = 'x'.repeat(4 * 1024 * 1024)
    const { stdout, ended } = await exec(['cat'], input)
    expect([stdout === input, ended]).toEqual([true, 'Success'])
  })

  it.each(['nonsense', 'constructor'])('of an unknown program fails with its name: %s', async name => {
    const message = expect.stringContaining(`exec: "${name}": executable file not found`)
    expect(await exec([name])).toMatchObject({ ended: 'Failure', stdout: '', message })
    expect(await exec(['sh', '-c', name])).toMatchObject({
      stderr: `sh: ${name}: not found\n`,
      code: '127',
    })
  })

  it('that does not read a large input still notices that its caller disconnects', async () => {
    // More than the buffers between the two hold, so that the end is heard only by who reads on.
    const messages = Array<Buffer>(512).fill(message(Buffer.alloc(64 * 1024)))
    const { socket, answer } = await execUnread(Buffer.concat(messages))
    await waitFor(() => expect(answer()).toContain(GOOD_BYE.toString('latin1')))
    const ended = once(socket, 'end')
    socket.write(frame(0x88, GOOD_BYE))
    // A connection that is given up with something unread on it is reset, which rejects this.
    await ended
  })

  it('ignores bytes on a stdin that was not requested', async () => {
    const { socket, answer } = await execUnread(message(Buffer.from('a')), '')
    await waitFor(() => expect(answer()).toContain('"status":"Success"'))
    socket.destroy()
    expect(await exec(['true'])).toMatchObject({ ended: 'Success' })
  })

  it.each([
    ['sleep', ['sleep', '600']],
    ['cat', ['cat']],
    ['sh', ['sh']],
  ])('ends with its container, as what is killed does: %s', async (program, command) => {
    const pod = `ender-${program}`
    await runPod(pod, { name: 'main', image: 'busybox', command: ['sleep', '600'] })
    await phaseOf(pod, 'Running')
    const [stdout, stdin] = [collector(), new PassThrough()]
    const attached = await new Attach(config).attach('default', pod, 'main', stdout.stream, null, null, false)
    const left = new Promise(resolve => attached.addEventListener('close', resolve))
    let opened: () => void = () => undefined
    const open = new Promise<void>(resolve => {
      opened = resolve
    })
    const ended = new Promise<V1Status>((resolve, reject) => {
      new Exec(config)
        .exec('default', pod, 'main', command, stdout.stream, null, stdin, false, resolve)
        .then(opened, reject)
    })
    await open
    await member.server.local.request({ method: 'DELETE', path: `${PODS}/${pod}` })
    expect((await ended).message).toBe('command terminated with non-zero exit code: exit status 137')
    await left
  })

  it('in a container that does not run is refused', async () => {
    await runPod('absent', { name: 'main', image: 'fake/nginx:1' })
    await expect(exec(['true'], undefined, 'main', 'absent')).rejects.toBeDefined()
  })

  it('in a missing container or pod is refused', async () => {
    await expect(exec(['true'], undefined, 'absent')).rejects.toBeDefined()
  })
})

describe('the log of a simulated container', () => {
  const log = async (options: object) => {
    const { stream, text } = collector()
    const end = await new Log(config).log('default', 'talker', 'main', stream, options)
    return { end, text }
  }

  it('has the output of its main process, limited as requested', async () => {
    await exec(['log', 'a line'])
    const whole = await log({})
    await waitFor(() => expect(whole.text()).toMatch(/^simulated container main[\s\S]*\na line\n$/))
    const tail = await log({ tailLines: 1, timestamps: true })
    await waitFor(() => expect(tail.text()).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z a line\n$/))
    const bytes = await log({ tailLines: 1, limitBytes: 3 })
    await waitFor(() => expect(bytes.text()).toBe('a l'))
    const side = await exec(['log', 'elsewhere'], undefined, 'side')
    expect(side.ended).toBe('Success')
    await exec(['log', 'the last line'])
    const later = await log({})
    await waitFor(() => expect(later.text()).toMatch(/the last line\n$/))
    expect(later.text()).not.toContain('elsewhere')
  })

  it.each(['yesterday', '2026-01-01T99:00:00Z', '2026-01-01T00:00:00+99:00'])(
    'refuses an invalid since time: %s',
    async sinceTime => {
      const path = '/api/v1/namespaces/default/pods/talker/log'
      const asked = member.server.local.request({ method: 'GET', path, query: { sinceTime } })
      await expect(asked).rejects.toThrow(`sinceTime: Invalid value: "${sinceTime}"`)
    },
  )

  it('is followed line by line, and attach prints the same', async () => {
    const followed = await log({ follow: true, tailLines: 0 })
    const attached = collector()
    const socket = await new Attach(config).attach(
      'default',
      'talker',
      'main',
      attached.stream,
      null,
      null,
      false,
    )
    for (const line of ['one', 'two']) {
      await exec(['log', line])
      await waitFor(() => expect(followed.text()).toMatch(new RegExp(`${line}\n$`)))
      await waitFor(() => expect(attached.text()).toMatch(new RegExp(`${line}\n$`)))
    }
    expect(attached.text()).toBe('one\ntwo\n')
    followed.end.abort()
    socket.close()
  })
})

describe('an upgrade request that gets an ordinary answer', () => {
  it('streams a log, and ends when its caller disconnects', async () => {
    await exec(['log', 'before'])
    const { socket, answer } = await upgrade('pods/talker/log?follow=true&tailLines=1', Buffer.alloc(0))
    await waitFor(() => expect(answer()).toContain('before\n'))
    await exec(['log', 'after'])
    await waitFor(() => expect(answer()).toContain('after\n'))
    expect(answer()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*Content-Type: text\/plain\r\n/i)
    const closed = once(socket, 'close')
    socket.end()
    await closed
  })

  it('delivers a log that is longer than its socket buffer', async () => {
    const line = `${'x'.repeat(64 * 1024)}\n`
    const lines = line.repeat(64)
    const [attached, input] = [collector(), new PassThrough()]
    const to = new Attach(config)
    const written = await to.attach('default', 'talker', 'side', attached.stream, null, input, false)
    input.end(lines)
    await waitFor(() => expect(attached.text().length).toBeGreaterThanOrEqual(lines.length))
    written.close()
    const { socket, answer } = await upgrade('pods/talker/log?container=side', Buffer.alloc(0))
    await once(socket, 'end')
    expect(answer().length).toBeGreaterThan(lines.length)
    expect(answer().endsWith('x\n\r\n0\r\n\r\n')).toBe(true)
  })

  it('gets the refusal in a Status', async () => {
    const { socket, answer } = await upgrade(
      'pods/talker/exec?container=absent&command=true',
      message(Buffer.from('a')),
    )
    await once(socket, 'end')
    expect(answer()).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answer()).toContain('container absent is not valid for pod talker')
  })

  it('lists the requested containers', async () => {
    const { socket, answer } = await upgrade('pods', Buffer.alloc(0))
    await once(socket, 'end')
    expect(answer()).toContain('"kind":"PodList"')
  })
})

it('a forwarded port echoes its input', async () => {
  const { stream, text } = collector()
  const input = new PassThrough()
  const opened = await new PortForward(config).portForward('default', 'talker', [80], stream, null, input)
  input.write('hello')
  await waitFor(() => expect(text()).toBe('hello'))
  const socket = typeof opened === 'function' ? opened() : opened
  socket?.close()
})

it('a forwarded port sends its port number first, however early data arrive', async () => {
  const early = frame(0x82, Buffer.from('\u0002early'))
  const { socket, answer } = await upgrade('pods/talker/portforward?ports=80&ports=81', early)
  await waitFor(() => expect(answer()).toContain('\u0002early'))
  // On the channel of the second port's data: 81 as two bytes.
  expect(answer().split('\u0002early')[0]).toContain('\u0002Q\0')
  socket.destroy()
})
