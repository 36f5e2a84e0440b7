import { describe, expect, it } from 'vitest'
import { type LoggedPod, loggedContainers } from '../../../../http/rpc/workload-pods/pod-containers.js'

const ended = { terminated: { exitCode: 1, reason: 'Error', containerID: 'x://1' } }
const pod = (
  containerStatuses: readonly object[],
  initContainerStatuses: readonly object[] = [],
): LoggedPod =>
  ({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-1', uid: 'u' } },
    status: { containerStatuses, initContainerStatuses },
  }) as LoggedPod
const all = { containers: [], previous: false }
const shown = (of: LoggedPod, choice: object = {}) =>
  loggedContainers(of, { ...all, ...choice }).map(({ name, run, end }) => [name, run, end])

describe('the containers of a pod with a log', () => {
  const main = {
    name: 'main',
    containerID: 'x://2',
    restartCount: 1,
    state: { running: {} },
    lastState: ended,
  }

  it('are those that run or ran, and init containers only by name', () => {
    const init = {
      name: 'init',
      containerID: 'x://0',
      state: { terminated: { exitCode: 0, reason: 'Completed' } },
    }
    const waiting = { name: 'new', state: { waiting: { reason: 'ContainerCreating' } } }
    expect(shown(pod([main, waiting], [init]))).toEqual([['main', 'u/main/x://2/1', '']])
    expect(shown(pod([main], [init]), { containers: ['init'] })).toEqual([
      ['init', 'u/init/x://0/0', 'the container ended: Completed, exit code 0'],
    ])
    expect(shown({ ...pod([]), status: undefined } as unknown as LoggedPod)).toEqual([])
  })

  it('are the same run while it runs and when it has ended, and another one after a restart', () => {
    const first = { name: 'main', containerID: 'x://1', restartCount: 0, state: { running: {} } }
    const over = { ...first, state: ended }
    const crashing = { ...first, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: ended }
    const [[, run] = []] = shown(pod([first]))
    expect(shown(pod([over]))[0]?.[1]).toBe(run)
    expect(shown(pod([crashing]))).toEqual([['main', run, 'the container ended: Error, exit code 1']])
    expect(shown(pod([main]))[0]?.[1]).not.toBe(run)
  })

  it('before their last restart are those that were restarted', () => {
    const never = { name: 'other', containerID: 'x://9', state: { running: {} } }
    expect(shown(pod([main, never]), { previous: true })).toEqual([
      ['main', 'u/main/x://1/1', 'the container ended: Error, exit code 1'],
    ])
  })
})
