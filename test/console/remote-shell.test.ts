import { describe, expect, it } from 'vitest'
import { RemoteShell, type ShellSocket, type ShellState } from '../../console/terminal/remote-shell.js'
import { settled } from './test-clock.js'

const encoded = (text: string) => new TextEncoder().encode(text)

/** A server's side of the socket. */
class TestSocket implements ShellSocket {
  binaryType = ''
  readonly sent: { channel: number; text: string }[] = []
  closed = false
  readonly #then = new Map<string, (event: never) => void>()

  addEventListener(type: string, then: (event: never) => void): void {
    this.#then.set(type, then)
  }
  send(data: Uint8Array): void {
    this.sent.push({ channel: data[0] ?? -1, text: new TextDecoder().decode(data.subarray(1)) })
  }
  close(): void {
    this.closed = true
  }
  happen(type: string, event: object = {}): void {
    this.#then.get(type)?.(event as never)
  }
  frame(channel: number, text: string): void {
    this.happen('message', { data: Uint8Array.of(channel, ...encoded(text)).buffer })
  }
}

function shell(whyRefused: () => Promise<string | undefined> = async () => undefined) {
  const socket = new TestSocket()
  const states: ShellState[] = []
  let output = ''
  let connected = 0
  const running = new RemoteShell({
    connect: () => {
      connected += 1
      return socket
    },
    whyRefused,
    output: bytes => {
      output += new TextDecoder().decode(bytes)
    },
    changed: state => states.push(state),
  })
  running.start()
  return { running, socket, states, output: () => output, connected: () => connected }
}

describe('a remote shell', () => {
  it('sends typed text and its size, but not before it is open', () => {
    const { running, socket } = shell()
    running.input('early')
    running.resize(120, 40)
    expect(socket.sent).toEqual([])
    socket.happen('open')
    running.input('ls\r')
    running.resize(80, 24)
    expect(socket.sent).toEqual([
      { channel: 4, text: '{"Width":120,"Height":40}' },
      { channel: 0, text: 'ls\r' },
      { channel: 4, text: '{"Width":80,"Height":24}' },
    ])
  })

  it('sends a large paste completely, in frames of at most 32 KiB', () => {
    const { running, socket } = shell()
    socket.happen('open')
    const pasted = 'ä'.repeat(40_000)
    running.input(pasted)
    expect(socket.sent.map(({ channel }) => channel)).toEqual([0, 0, 0])
    expect(socket.sent.map(({ text }) => text).join('')).toBe(pasted)
  })

  it('shows both outputs, and ends with the exit code of the program', () => {
    const { socket, states, output } = shell()
    socket.happen('open')
    socket.frame(1, 'out ')
    socket.frame(2, 'err')
    socket.frame(
      3,
      JSON.stringify({
        status: 'Failure',
        reason: 'NonZeroExitCode',
        message: 'command terminated with exit code 3',
        details: { causes: [{ reason: 'ExitCode', message: '3' }] },
      }),
    )
    socket.happen('close', { code: 1000, reason: '' })
    expect(output()).toBe('out err')
    expect(states).toEqual([{ name: 'open' }, { name: 'ended', code: 3 }])
  })

  it('has the server’s reason for its end, such as a withdrawn right', () => {
    const { socket, states } = shell()
    socket.happen('open')
    socket.frame(3, JSON.stringify({ status: 'Failure', reason: 'Forbidden', message: 'may no longer' }))
    socket.happen('close', { code: 1008, reason: 'Forbidden' })
    expect(states.at(-1)).toEqual({ name: 'ended', said: 'may no longer' })
  })

  it.each<[string, object | string, object]>([
    ['ends with 0 where the program succeeded', { status: 'Success' }, { code: 0 }],
    [
      'says why where the server names no code',
      { status: 'Failure', reason: 'NonZeroExitCode', message: 'killed' },
      { said: 'killed' },
    ],
    [
      'says what the server said where that has no message',
      { status: 'Failure' },
      { said: '{"status":"Failure"}' },
    ],
    ['says what the server said where that is no JSON', 'gone', { said: 'gone' }],
    ['says what the server said where that is no Status', '3', { said: '3' }],
    ['says what the server said where that is null', 'null', { said: 'null' }],
  ])('%s', (_what, last, end) => {
    const { socket, states } = shell()
    socket.happen('open')
    socket.frame(3, typeof last === 'string' ? last : JSON.stringify(last))
    socket.happen('close', { code: 1000, reason: '' })
    expect(states.at(-1)).toEqual({ name: 'ended', ...end })
  })

  it.each<[string, string, object]>([
    ['ends without a reason where the server closed it without one', '', {}],
    ['says why the server closed it', 'shutting down', { said: 'shutting down' }],
  ])('%s', async (_what, reason, end) => {
    const { socket, states } = shell()
    socket.happen('open')
    socket.happen('close', { code: 1000, reason })
    await settled()
    expect(states.at(-1)).toEqual({ name: 'ended', ...end })
  })

  it('is broken where it was closed before it was open, without a reason', async () => {
    const { socket, states } = shell()
    socket.happen('close', { code: 1000, reason: '' })
    await settled()
    expect(states).toEqual([{ name: 'ended', broke: 1000 }])
  })

  it('says why it could not ask why the server did not open it', async () => {
    const { socket, states } = shell(() => Promise.reject(new Error('offline')))
    socket.happen('close', { code: 1006, reason: '' })
    await settled()
    expect(states).toEqual([{ name: 'ended', said: 'offline' }])
  })

  it('reads binary frames, and no text', () => {
    const { socket, output } = shell()
    expect(socket.binaryType).toBe('arraybuffer')
    socket.happen('open')
    socket.happen('message', { data: '\x01text' })
    socket.frame(1, 'bytes')
    expect(output()).toBe('bytes')
  })

  it('requests the reason of a refused WebSocket, which browsers do not report', async () => {
    const { socket, states } = shell(async () => 'pods "web" not found')
    socket.happen('close', { code: 1006, reason: '' })
    await settled()
    expect(states).toEqual([{ name: 'ended', said: 'pods "web" not found' }])
  })

  it('has the close code of a connection that broke without a reason', async () => {
    const { socket, states } = shell()
    socket.happen('open')
    socket.happen('close', { code: 1006, reason: '' })
    await settled()
    expect(states.at(-1)).toEqual({ name: 'ended', broke: 1006 })
  })

  it('closes its socket on `stop`, and reports nothing after that', () => {
    const { running, socket, states } = shell()
    socket.happen('open')
    running.stop()
    running.input('late')
    socket.happen('close', { code: 1006, reason: '' })
    expect([socket.closed, socket.sent, states.at(-1)]).toEqual([true, [], { name: 'ended' }])
  })

  it('reports and requests nothing after `stop`, whatever its server sends', async () => {
    let asked = 0
    const { running, socket, states } = shell(async () => {
      asked += 1
      return undefined
    })
    running.stop()
    socket.happen('open')
    socket.frame(3, JSON.stringify({ status: 'Success' }))
    socket.happen('close', { code: 1006, reason: '' })
    await settled()
    expect([states, asked, socket.sent]).toEqual([[{ name: 'ended' }], 0, []])
  })

  it('connects once, however often it is started', () => {
    const { running, connected } = shell()
    running.start()
    expect(connected()).toBe(1)
  })

  it.each([
    [0, 0],
    [32_768, 1],
    [32_769, 2],
  ])('sends %i bytes in %i frames', (bytes, frames) => {
    const { running, socket } = shell()
    socket.happen('open')
    running.input('x'.repeat(bytes))
    expect(socket.sent).toHaveLength(frames)
  })
})
