import { describe, expect, it } from 'vitest'
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

const pod = (command: string, status?: State): Pod =>
  ({
    metadata: { namespace: 'default', name: 'talker', uid: 'u1' },
    spec: { containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', command] }] },
    ...(status && { status: { phase: 'Running', containerStatuses: [{ name: 'main', ...status }] } }),
  }) as unknown as Pod

/** The log as text; a followed one once it has ended. */
async function logOf(
  kubelet: SimulatedKubelet,
  of: Pod,
  query: Record<string, string> = {},
): Promise<string> {
  const request = {
    pod: of,
    subresource: 'log',
    query: new URLSearchParams(query),
    signal: new AbortController().signal,
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
})
