import { createHash, randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { type Run, runKubectl } from '../../scenarios/support/kubectl.js'
import { RunningKubectl } from '../../scenarios/support/running-kubectl.js'
import { programPath } from '../build.js'
import { control } from '../control.js'
import { startPod } from '../pod.js'
import { eventually } from '../probe.js'
import { type RealProxy, startRealProxy } from '../proxy.js'

const pod = 'talker'

/** Both ways in which kubectl speaks to containers: WebSocket, its default, and SPDY, with which it began. */
const protocols = [
  ['WebSocket', {}],
  ['SPDY', { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }],
] as const

/**
 * Containers of a member behind `clusters/{member}/proxy`, through the proxy: client → Kairship → Karmada's API server → its
 * aggregated API → the member's API server → the kubelet, which KWOK plays: commands run on this machine. KWOK never ends the
 * input of a command, so each of these knows by itself when it has enough.
 */
describe('containers of a member, through the proxy', () => {
  const stack = inject('stack')
  const kubectl = programPath('kubectl')
  const home = mkdtempSync(join(tmpdir(), 'kairship-streams-'))
  let proxy: RealProxy
  /** What every container of the member writes. */
  let log: string

  const run = (words: readonly string[], env: Record<string, string> = {}, input?: string): Promise<Run> =>
    runKubectl(kubectl, words, {
      kubeconfig: proxy.throughToMember,
      home,
      env,
      ...(input === undefined ? {} : { input }),
    })
  const open = (words: readonly string[], env: Record<string, string> = {}): RunningKubectl =>
    new RunningKubectl(kubectl, words, { kubeconfig: proxy.throughToMember, home, env })

  beforeAll(async () => {
    proxy = await startRealProxy(stack, 'proxy-streams')
    log = join(stack.folder, proxy.member, 'container.log')
    await startPod(pod, { kubeconfig: proxy.throughToMember, home })
  })
  afterAll(async () => {
    if (!proxy) return
    await run(['delete', 'pod', pod, '--now'])
    await proxy.close()
  })

  it('logs equal the member’s own logs: complete, in part, and with times', async () => {
    for (const flags of [[], ['--tail=1'], ['--timestamps'], ['--limit-bytes=7'], ['-c', 'main']]) {
      const through = await run(['logs', pod, ...flags])
      const options = { kubeconfig: proxy.directToMember, home }
      expect([flags, through]).toEqual([flags, await runKubectl(kubectl, ['logs', pod, ...flags], options)])
      expect(through.stdout).not.toBe('')
    }
    expect((await run(['logs', pod, '-c', 'absent'])).stderr).toContain('container absent is not valid')
  })

  it('logs -f prints existing lines at once, and continues until its reader disconnects', async () => {
    const following = open(['logs', '-f', pod])
    await following.said(/a first line\n[\s\S]*a second line\n/)
    await following.stop()
  })

  describe.each(protocols)('over %s', (protocol, env) => {
    it('exec transfers stdout and stderr separately, and the exit code', async () => {
      const words = ['exec', pod, '--', 'sh', '-c', 'echo out; echo err >&2; exit 3']
      const through = await run(words, env)
      expect(through).toEqual(
        await runKubectl(kubectl, words, { kubeconfig: proxy.directToMember, home, env }),
      )
      // KWOK does not say the code in the way by which kubectl would end with it.
      expect(through).toMatchObject({ code: 1, stdout: 'out\n' })
      expect(through.stderr).toMatch(/^err\n[\s\S]*exit status 3/)
    })

    it('exec -i transfers a large input unchanged, and over WebSocket a large output', async () => {
      const input = randomBytes(3 * 1024 * 1024).toString('base64')
      const take = `head -c ${input.length}`
      const sum = await run(['exec', '-i', pod, '--', 'sh', '-c', `${take} | sha256sum`], env, input)
      expect([sum.code, sum.stderr]).toEqual([0, ''])
      expect(sum.stdout).toBe(`${hash(input)}  -\n`)
      // Over SPDY Karmada's cluster proxy cuts the end of a large output off now and then, also directly.
      if (protocol === 'SPDY') return
      const back = await run(['exec', '-i', pod, '--', ...take.split(' ')], env, input)
      expect([back.code, back.stderr, hash(back.stdout)]).toEqual([0, '', hash(input)])
    })

    it('exec -i answers while its input is open', async () => {
      const answer = 'for i in 1 2 3; do read line; echo "you said $line"; done'
      const talk = open(['exec', '-i', pod, '--', 'sh', '-c', answer], env)
      for (const line of ['one', 'two', 'three']) {
        talk.write(`${line}\n`)
        await talk.said(new RegExp(`you said ${line}\\n$`))
      }
      expect(await talk.ended).toBe(0)
    })

    it('attach prints the output of the container', async () => {
      const attached = open(['attach', pod], env)
      await waitFor(() => {
        // Whether it is attached yet, nobody says: what is written until then is not heard.
        appendFileSync(log, '2026-01-01T00:00:00.000000000Z stdout F one more line\n')
        expect(attached.stdout).toContain('one more line\n')
      })
      await attached.stop()
    })

    it('cp copies a file in and out unchanged', async () => {
      const away = mkdtempSync(join(tmpdir(), 'kairship-container-'))
      const bytes = randomBytes(protocol === 'SPDY' ? 1024 : 1024 * 1024)
      writeFileSync(join(home, 'sent'), bytes)
      mkdirSync(join(home, 'back'), { recursive: true })
      const there = await run(['cp', join(home, 'sent'), `${pod}:${away}/received`], env)
      expect([there.code, there.stderr]).toEqual([0, ''])
      expect(hash(readFileSync(join(away, 'received')))).toBe(hash(bytes))
      const back = join(home, 'back', `file-${Object.keys(env).length}`)
      const returned = await run(['cp', '--retries=10', `${pod}:${away}/received`, back], env)
      expect(returned.code, returned.stderr).toBe(0)
      expect(hash(readFileSync(back))).toBe(hash(bytes))
    })

    it('port-forward echoes several connections at once, each separately', async () => {
      const forward = open(['port-forward', `pod/${pod}`, ':80'], env)
      const [, port] = await forward.said(/Forwarding from 127\.0\.0\.1:(\d+) -> 80/)
      const sockets = await Promise.all([1, 2, 3].map(() => connected(Number(port))))
      const echoes = sockets.map(({ socket, received }, index) => {
        socket.write(`hello ${index}\n`)
        return eventually(async () => received() === `hello ${index}\n`, `the echo of ${index}`)
      })
      await Promise.all(echoes)
      for (const { socket } of sockets) socket.destroy()
      await forward.stop()
    })

    it('exec ends with an error when Karmada’s aggregated API is killed', async () => {
      const talk = open(['exec', '-i', pod, '--', 'cat'], env)
      talk.write('hello\n')
      await talk.said(/hello\n/)
      // Over SPDY kubectl takes any end of the connection for the end of the command.
      const engine = `${proxy.instance}-aggregated-apiserver`
      await control(stack.control, engine, 'crash')
      try {
        const code = await talk.ended
        if (protocol === 'WebSocket') expect([code, talk.stderr]).toEqual([1, expect.stringMatching(/./)])
      } finally {
        await control(stack.control, engine, 'start')
      }
      await eventually(
        async () => (await run(['get', 'pod', pod, '-o', 'name'])).code === 0,
        'the member reachable again',
      )
    })
  })

  it('exec in a missing pod is refused with the member’s message', async () => {
    const { code, stderr } = await run(['exec', 'absent', '--', 'true'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('pods "absent" not found')])
  })
})

const hash = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')

async function connected(port: number): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('data', data => (text += data))
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return { socket, received: () => text }
}
