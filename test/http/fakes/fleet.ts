import { chartOf } from '../../../machines/chart.js'
import { instanceMachine } from '../../../machines/instance/instance.js'
import type { Instance, InstanceSpec } from '../../../manifests/instance.js'
import type {
  Fleet,
  FleetEvent,
  InstanceState,
  InstanceView,
  TransitionRecord,
} from '../../../ports/fleet.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { type FakeAccessLocks, fakeAccessLocks } from './access-locks.js'
import { type FakeRoleBindings, fakeRoleBindings } from './role-bindings.js'

/** A fleet whose facts a test sets. Watchers see every change in order. */
export interface FakeFleet extends Fleet {
  synced: boolean
  resourceVersion: string | undefined
  readonly views: Map<string, InstanceView>
  readonly connections: Map<string, KubeApi>
  readonly roleBindings: FakeRoleBindings
  readonly accessLocks: FakeAccessLocks
  readonly watchers: Set<(event: FleetEvent) => void>
  set(view: InstanceView): void
  delete(name: string): void
}

/** A view as an actor would make it. */
export function viewOf(
  name: string,
  state: InstanceState = 'ready',
  spec: InstanceSpec = { kubeconfigSecretRef: { namespace: 'kairship-system', name } },
  more: Partial<InstanceView> = {},
): InstanceView {
  const instance: Instance = {
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'Instance',
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: '7',
      generation: 2,
      creationTimestamp: '2026-11-20T10:00:00Z',
      labels: { region: 'north' },
    },
    spec,
  }
  return {
    name,
    instance,
    state,
    since: '2026-11-20T10:00:05.000Z',
    conditions: [
      {
        type: 'Ready',
        status: state === 'ready' ? 'True' : 'False',
        reason: 'Tested',
        message: '',
        lastTransitionTime: '2026-11-20T10:00:05Z',
      },
    ],
    endpoint: `https://${name}.test:5443`,
    kubernetesVersion: 'v1.36.2',
    karmadaVersion: 'v1.18.2',
    ...more,
  }
}

const transition: TransitionRecord = {
  time: '2026-11-20T10:00:05.000Z',
  from: 'virtualClusterSynced',
  to: 'ready',
  event: 'registration.published',
  cause: 'the registration was published',
  detail: { attempts: 1 },
}

export function fakeFleet(...views: InstanceView[]): FakeFleet {
  const fleet: FakeFleet = {
    synced: true,
    resourceVersion: undefined,
    views: new Map(views.map(view => [view.name, view])),
    connections: new Map(),
    roleBindings: fakeRoleBindings(),
    accessLocks: fakeAccessLocks(),
    watchers: new Set(),
    list: () => [...fleet.views.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    get: name => fleet.views.get(name),
    explain: name => {
      const view = fleet.views.get(name)
      if (!view) return undefined
      return {
        view,
        configuration: [view.state],
        pending: ['waits'],
        transitions: [transition],
        leading: true,
      }
    },
    chart: () => chartOf(instanceMachine),
    connection: name => fleet.connections.get(name),
    index: () => undefined,
    leadership: () => ({ leading: true, holder: 'replica-1' }),
    async *inspect(name, { signal }) {
      yield { time: transition.time, instance: name, kind: 'transition', record: { to: 'ready' } }
      await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
    },
    async *watch({ signal }) {
      const queue: FleetEvent[] = fleet.list().map(view => ({ type: 'ADDED', view }))
      queue.push({ type: 'BOOKMARK' })
      let wake: () => void = () => undefined
      const push = (event: FleetEvent) => {
        queue.push(event)
        wake()
      }
      fleet.watchers.add(push)
      signal.addEventListener('abort', () => wake(), { once: true })
      try {
        while (!signal.aborted) {
          const event = queue.shift()
          if (event) yield event
          else
            await new Promise<void>(resolve => {
              wake = resolve
            })
        }
      } finally {
        fleet.watchers.delete(push)
      }
    },
    set(view) {
      const type = fleet.views.has(view.name) ? 'MODIFIED' : 'ADDED'
      fleet.views.set(view.name, view)
      for (const push of fleet.watchers) push({ type, view })
    },
    delete(name) {
      const view = fleet.views.get(name)
      fleet.views.delete(name)
      if (view) for (const push of fleet.watchers) push({ type: 'DELETED', view })
    },
  }
  return fleet
}
