import { describe, expect, it } from 'vitest'
import { PodRunner } from '../../../../playground/member/kubelet/pod-runner.js'
import { podStatus } from '../../../../playground/member/kubelet/pod-status.js'
import type { Pod } from '../../../../playground/objects/core.js'

const START = Date.parse('2026-01-01T12:00:00Z')
const pace = { start: 300, run: 1_000, stop: 200 }

/** A pod with one container, a clock, and a process whose end the test decides. */
function started(restartPolicy: string, isKnown = true, image = 'i', args: readonly string[] = []) {
  let now = START
  let ends = 0
  const processes: { end: (code: number) => Promise<void>; signal: AbortSignal }[] = []
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'a', name: 'p', uid: 'p' },
    spec: { restartPolicy, nodeName: 'n', containers: [{ name: 'c', image, args }] },
  }
  const placement = { address: '10.244.0.1', hostAddress: '10.0.0.1', since: START }
  const runner = new PodRunner(placement, {
    pace,
    now: () => now,
    onEnd: () => {
      ends++
    },
    startProcess: (_pod, _container, signal) => {
      if (!isKnown) return undefined
      return new Promise(resolve => {
        const end = async (code: number) => {
          resolve(code)
          await new Promise(setImmediate)
        }
        processes.push({ end, signal })
      })
    },
  })
  const advance = (milliseconds: number) => {
    now += milliseconds
    return runner.advance(pod)
  }
  return {
    processes,
    pod,
    runner,
    ends: () => ends,
    advance,
    end: (code: number) => processes.at(-1)!.end(code),
    status: () => podStatus(pod, runner.states, placement, now),
    state: () => podStatus(pod, runner.states, placement, now).containerStatuses?.[0],
  }
}

describe('a pod on its node', () => {
  it('is first pending, and runs and is ready after its start time', () => {
    const { advance, status, state } = started('Always')
    expect(advance(0)).toBe(300)
    expect(status().phase).toBe('Pending')
    expect(status().podIP).toBeUndefined()
    expect(state()?.state).toEqual({ waiting: { reason: 'ContainerCreating' } })
    expect(advance(300)).toBeUndefined()
    expect(status()).toMatchObject({ phase: 'Running', podIP: '10.244.0.1', hostIP: '10.0.0.1' })
    expect(status().conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }))
  })

  it('waits for an image that cannot be pulled, and tries again', () => {
    const { advance, status, state, processes } = started('Always', true, 'fake/nginx:1')
    advance(0)
    expect(advance(300)).toBe(10_000)
    expect(status().phase).toBe('Pending')
    expect(state()).toMatchObject({
      imageID: '',
      ready: false,
      state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "fake/nginx:1"' } },
    })
    expect(advance(10_000)).toBe(10_000)
    expect(processes).toEqual([])
  })

  it('restarts an exited container with growing pauses', async () => {
    const { advance, end, state, status } = started('Always')
    advance(0)
    advance(300)
    for (const [index, pause] of [10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000].entries()) {
      await end(1)
      expect(state()).toMatchObject({ restartCount: index, ready: false })
      expect(state()?.state).toMatchObject({ waiting: { reason: 'CrashLoopBackOff' } })
      expect(status().phase).toBe('Running')
      expect(advance(0)).toBe(pause)
      advance(pause)
      expect(state()).toMatchObject({ restartCount: index + 1, ready: true })
      expect(state()?.lastState).toMatchObject({ terminated: { exitCode: 1, reason: 'Error' } })
    }
  })

  it('has short pauses again after a run of more than ten minutes', async () => {
    const { advance, end } = started('Always')
    advance(300)
    await end(1)
    advance(10_000)
    advance(600_001)
    await end(1)
    expect(advance(0)).toBe(10_000)
  })

  it('tells when a process has ended by itself, and that the run is over', async () => {
    const { advance, end, ends, processes } = started('Never')
    advance(300)
    expect([processes[0]?.signal.aborted, ends()]).toEqual([false, 0])
    await end(0)
    expect([processes[0]?.signal.aborted, ends()]).toEqual([true, 1])
  })

  it.each([
    ['Never', 0, 'Succeeded', { terminated: expect.objectContaining({ exitCode: 0, reason: 'Completed' }) }],
    ['Never', 3, 'Failed', { terminated: expect.objectContaining({ exitCode: 3, reason: 'Error' }) }],
    ['OnFailure', 0, 'Succeeded', { terminated: expect.objectContaining({ exitCode: 0 }) }],
    ['OnFailure', 3, 'Running', { waiting: expect.objectContaining({ reason: 'CrashLoopBackOff' }) }],
  ])('with restart policy %s has, after exit code %i, the phase %s', async (policy, code, phase, shown) => {
    const { advance, end, status, state } = started(policy)
    advance(0)
    advance(300)
    await end(code)
    expect(status().phase).toBe(phase)
    expect(state()?.state).toEqual(shown)
  })

  it.each(['while true; do curl http://web; done', 'while :; do sleep 1; done'])(
    'with a script that loops for ever (%s) does not end by itself',
    script => {
      const { advance, status } = started('Never', false, 'i', ['-c', script])
      advance(300)
      expect(advance(pace.run * 10)).toBeUndefined()
      expect(status().phase).toBe('Running')
    },
  )

  it('with an unknown program runs until it is deleted, unless its restart policy expects an end', () => {
    const forever = started('Always', false)
    forever.advance(0)
    expect(forever.advance(300)).toBeUndefined()
    const once = started('Never', false)
    once.advance(0)
    expect(once.advance(300)).toBe(1_000)
    expect(once.status().phase).toBe('Running')
    expect(once.advance(1_000)).toBeUndefined()
    expect(once.status().phase).toBe('Succeeded')
  })

  it('that is stopped ends its processes without reporting their exit', async () => {
    const { advance, processes, runner, end, status } = started('Always')
    advance(0)
    advance(300)
    runner.stop()
    expect(processes[0]?.signal.aborted).toBe(true)
    await end(143)
    expect(status().phase).toBe('Running')
  })

  it('stays ended when its kubelet restarts', async () => {
    const before = started('Never')
    before.advance(300)
    await before.end(3)
    const after = started('Never')
    after.runner.adopt({ ...after.pod, status: before.status() })
    after.advance(60_000)
    expect(after.state()).toEqual(before.state())
    expect(after.processes).toEqual([])
  })

  it('continues from its status when its kubelet restarts', () => {
    const before = started('Always')
    before.advance(0)
    before.advance(300)
    const after = started('Always', false)
    after.runner.adopt({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
      status: before.status(),
    })
    after.advance(60_000)
    expect(after.state()).toEqual(before.state())
  })
})
