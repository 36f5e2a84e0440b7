import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchHost } from '../../../actors/host/watch-host.js'
import { ACCESS_LOCKS } from '../../../manifests/access-lock.js'
import { INSTANCE_ROLE_BINDINGS } from '../../../manifests/instance-role-binding.js'
import { resourcePath } from '../../../manifests/kube.js'
import { WORKSPACE_BINDINGS, WORKSPACES } from '../../../manifests/workspace.js'
import { WORKSPACE_ROLE_BINDINGS } from '../../../manifests/workspace-role-binding.js'
import type { KubeApi, WatchRequest } from '../../../ports/kube-api.js'
import { unmetered } from '../../silent.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const identity = (name: string) => ({ name, uid: name, resourceVersion: '11' })
const changes: Record<string, object> = {
  [resourcePath(ACCESS_LOCKS)]: { metadata: identity('lock'), spec: { user: 'ann' } },
  [resourcePath(INSTANCE_ROLE_BINDINGS)]: {
    metadata: identity('binding'),
    spec: { instance: 'north', role: 'Viewer', subjects: [{ kind: 'User', name: 'ann' }] },
  },
}

/** A host that answers, and on whose first watches nothing comes: the connection behind them is gone, and nobody has said so. */
function hostWithDeadWatches() {
  const urgent: string[] = []
  const opened = new Map<string, number>()
  const api: KubeApi = {
    server: 'https://host.test',
    request: async <T>() => ({ kind: 'ThingList', metadata: { resourceVersion: '10' }, items: [] }) as T,
    async *watch({ path, signal, opened: accepted, urgent: isUrgent }: WatchRequest) {
      if (isUrgent) urgent.push(path)
      const times = (opened.get(path) ?? 0) + 1
      opened.set(path, times)
      accepted?.()
      const object = changes[path]
      if (times > 1 && object) yield { type: 'ADDED', object } as never
      await new Promise(resolve => signal?.addEventListener('abort', resolve))
    },
    close: async () => undefined,
  }
  return { api, urgent }
}

it('a lock and a role binding are seen within 36 seconds when the watches on them broke without a word', async () => {
  const host = watchHost(hostWithDeadWatches().api, unmetered)
  host.start()
  await vi.advanceTimersByTimeAsync(1_000)
  expect([host.accessLocks.synced, host.roleBindings.synced]).toEqual([true, true])
  expect([host.accessLocks.all(), host.roleBindings.of('north')]).toEqual([[], []])
  await vi.advanceTimersByTimeAsync(35_000)
  expect(host.accessLocks.all()).toMatchObject([{ spec: { user: 'ann' } }])
  expect(host.roleBindings.of('north')).toMatchObject([{ spec: { role: 'Viewer' } }])
  host.stop()
})

it('what takes rights away is watched as urgent, and nothing else is', async () => {
  const { api, urgent } = hostWithDeadWatches()
  const host = watchHost(api, unmetered)
  host.start()
  await vi.advanceTimersByTimeAsync(1_000)
  host.stop()
  const rights = [
    ACCESS_LOCKS,
    INSTANCE_ROLE_BINDINGS,
    WORKSPACES,
    WORKSPACE_BINDINGS,
    WORKSPACE_ROLE_BINDINGS,
  ]
  expect(urgent.sort()).toEqual(rights.map(type => resourcePath(type)).sort())
})
