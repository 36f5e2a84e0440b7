import { describe, expect, it } from 'vitest'
import { ContainerLog } from '../../../../playground/member/kubelet/container-log.js'
import { SimulatedKubelet } from '../../../../playground/member/kubelet/simulated-kubelet.js'
import type { ContainerStatus, Pod } from '../../../../playground/objects/core.js'

type State = Partial<Pick<ContainerStatus, 'state' | 'lastState'>>
const RUNNING: State = { state: { running: {} }, lastState: {} }
const ENDED: State = { state: { terminated: { exitCode: 0 } }, lastState: {} }
const BACKING_OFF: State = {
  state: { waiting: { reason: 'CrashLoopBackOff' } },
  lastState: { terminated: { exitCode: 1 } },
}
const waiting = (reason: string): State => ({ state: { waiting: { reason } }, lastState: {} })

const pod = (command: string, status?: State, uid = 'u1'): Pod =>
  ({
    metadata: { namespace: 'default', name: 'talker', uid },
    spec: { containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', command] }] },
    ...(status && { status: { phase: 'Running', containerStatuses: [{ name: 'main', ...status }] } }),
  }) as unknown as Pod

/** The log as text; a followed one once it has ended. */
async function logOf(
  kubelet: SimulatedKubelet,
  of: Pod,
  query: Record<string, string> = {},
  signal = new AbortController().signal,
): Promise<string> {
  const request = {
    pod: of,
    subresource: 'log',
    query: new URLSearchParams(query),
    signal,
  }
  const { body } = await kubelet.connect(request as unknown as Parameters<SimulatedKubelet['connect']>[0])
  let text = ''
  for await (const chunk of (body as { stream: AsyncIterable<Buffer> }).stream) text += chunk.toString()
  return text
}

describe('the log of a simulated container', () => {
  it.each([
    [waiting('ContainerCreating'), 'container "main" in pod "talker" is waiting to start: ContainerCreating'],
    [
      waiting('ImagePullBackOff'),
      'container "main" in pod "talker" is waiting to start: trying and failing to pull image',
    ],
    [
      { state: { waiting: {} }, lastState: {} },
      'container "main" in pod "talker" is waiting to start - no logs yet',
    ],
    [undefined, 'container "main" in pod "talker" is not available'],
  ])('is refused while it never ran, and says why', async (status, message) => {
    await expect(logOf(new SimulatedKubelet(Date.now), pod('echo a', status))).rejects.toThrow(message)
  })

  it('ends for its readers when the run is over', async () => {
    const kubelet = new SimulatedKubelet(Date.now)
    const run = new AbortController()
    const ending = kubelet.startProcess(pod('echo one'), 'main', run.signal)
    const followed = logOf(kubelet, pod('echo one', RUNNING), { follow: 'true' })
    await ending
    run.abort()
    expect(await followed).toBe('one\n')
    expect(await logOf(kubelet, pod('echo one', ENDED), { follow: 'true' })).toBe('one\n')
  })

  it('ends for its readers where the container ended before the playground was started', async () => {
    expect(await logOf(new SimulatedKubelet(Date.now), pod('echo one', ENDED), { follow: 'true' })).toBe('')
  })

  it('begins anew with each run, and the run before is the previous one', async () => {
    const kubelet = new SimulatedKubelet(Date.now)
    const run = async (word: string) => {
      const controller = new AbortController()
      await kubelet.startProcess(pod(`echo ${word}`), 'main', controller.signal)
      return () => controller.abort()
    }
    const end = await run('one')
    const refused = logOf(kubelet, pod('', RUNNING), { previous: 'true' })
    await expect(refused).rejects.toThrow('previous terminated container "main" in pod "talker" not found')
    end()
    expect(await logOf(kubelet, pod('', BACKING_OFF))).toBe('one\n')
    expect(await logOf(kubelet, pod('', BACKING_OFF), { previous: 'true' })).toBe('one\n')
    await run('two')
    const again = pod('', { ...BACKING_OFF, ...RUNNING, lastState: { terminated: { exitCode: 1 } } })
    expect(await logOf(kubelet, again)).toBe('two\n')
    expect(await logOf(kubelet, again, { previous: 'true' })).toBe('one\n')
  })

  it('of the run before is refused where the playground was started since', async () => {
    const restarted = pod('', { ...RUNNING, lastState: { terminated: { exitCode: 1 } } })
    const asked = logOf(new SimulatedKubelet(Date.now), restarted, { previous: 'true' })
    await expect(asked).rejects.toThrow('previous terminated container "main" in pod "talker" not found')
  })

  it('is forgotten with its pod alone, that of the run before too', async () => {
    const kubelet = new SimulatedKubelet(Date.now)
    const again = { ...RUNNING, lastState: { terminated: { exitCode: 1 } } }
    for (const uid of ['u1', 'u10'])
      for (const word of ['one', 'two'])
        await kubelet.startProcess(pod(`echo ${word}`, undefined, uid), 'main', new AbortController().signal)
    kubelet.forget('u1')
    await expect(logOf(kubelet, pod('echo two', again), { previous: 'true' })).rejects.toThrow('not found')
    expect(await logOf(kubelet, pod('echo two', again))).toBe('')
    expect(await logOf(kubelet, pod('echo two', again, 'u10'))).toBe('two\n')
    expect(await logOf(kubelet, pod('echo two', again, 'u10'), { previous: 'true' })).toBe('one\n')
  })

  it('is read in part: the last lines, or so many bytes', async () => {
    const kubelet = new SimulatedKubelet(Date.now)
    await kubelet.startProcess(pod('echo one; echo two'), 'main', new AbortController().signal)
    const part = (query: Record<string, string>) => logOf(kubelet, pod('', RUNNING), query)
    expect(await part({ tailLines: '1' })).toBe('two\n')
    expect(await part({ tailLines: '3' })).toBe('one\ntwo\n')
    expect(await part({ follow: 'true', limitBytes: '5' })).toBe('one\nt')
    const both = part({ sinceSeconds: '1', sinceTime: '2026-01-01T00:00:00Z' })
    await expect(both).rejects.toThrow('at most one of sinceTime or sinceSeconds may be specified')
  })

  it('is followed until its reader leaves', async () => {
    const kubelet = new SimulatedKubelet(Date.now)
    await kubelet.startProcess(pod('echo one'), 'main', new AbortController().signal)
    const reader = new AbortController()
    const followed = logOf(kubelet, pod('', RUNNING), { follow: 'true' }, reader.signal)
    await new Promise(setImmediate)
    reader.abort()
    expect(await followed).toBe('one\n')
  })

  it('has its last thousand lines', () => {
    const log = new ContainerLog(() => 0)
    for (let line = 0; line < 1_001; line++) log.write(String(line))
    expect(log.lines.map(({ text }) => text)).toEqual(
      Array.from({ length: 1_000 }, (_, at) => String(at + 1)),
    )
  })

  it('tells its readers once that it has ended, and those at once who come later', () => {
    const log = new ContainerLog(() => 0)
    const told: string[] = []
    const reader = (name: string) => ({
      line: ({ text }: { readonly text: string }) => told.push(`${name}: ${text}`),
      end: () => told.push(`${name} ended`),
    })
    log.follow(reader('early'))
    log.end()
    log.end()
    log.follow(reader('late'))
    log.write('after')
    expect(told).toEqual(['early ended', 'late ended'])
  })
})
