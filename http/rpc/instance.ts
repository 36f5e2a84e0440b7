import { INSTANCES, type Instance } from '../../manifests/instance.js'
import { resourcePath } from '../../manifests/kube.js'
import { isNotFound } from '../../manifests/status-error.js'
import type { Explanation, Fleet, InstanceView } from '../../ports/fleet.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import type { Call } from '../call.js'
import { toFailure } from '../errors.js'
import { Failure, notFound, unavailable } from '../failure.js'
import type { ServiceHandlers } from '../operation.js'
import { issueAdminKubeconfig } from './admin-kubeconfig.js'
import { type DoorAddress, doorKubeconfig } from './door-kubeconfig.js'
import type { InstanceFeed } from './instance-feed.js'
import { listPage } from './instance-list.js'
import { manifestOf, replacementOf } from './instance-manifest.js'
import { messageOfObject, messageOfView, plainJson, transitionOf } from './instance-message.js'
import { karmadaSettings } from './karmada-settings.js'
import { seenBy, watchInstances } from './watch-instances.js'

/** What the handlers of the Instance service stand on. */
export interface InstanceDependencies {
  readonly fleet: Fleet
  readonly feed: InstanceFeed
  /** The host cluster under Kairship's own credential. */
  readonly host: KubeApi
  /** The Karmada version that is installed when none is asked for, e.g. `v1.18.2`. */
  readonly karmadaVersion: string
  /** Where callers reach the native door. */
  readonly door: () => DoorAddress
}

/** Writes say who wrote: this is the API, as opposed to the controllers (`kairship`). */
const FIELD_MANAGER = 'kairship-apiserver'

/** The Instance service: reads from actor snapshots, writes to CRs on the host. */
export function instanceHandlers(
  dependencies: InstanceDependencies,
): ServiceHandlers<typeof InstanceService> {
  const { fleet, feed, host, karmadaVersion } = dependencies
  return {
    async listInstances(request, call) {
      const { items, pagination } = listPage(await seenBy(call, knownOf(fleet)), request)
      return { items: items.map(messageOfView), pagination }
    },

    async createInstance(request, call) {
      const body = manifestOf(request)
      const created = await write(() =>
        host.request<Instance>({
          method: 'POST',
          path: resourcePath(INSTANCES),
          query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' },
          body,
          signal: call.signal,
        }),
      )
      return messageOfObject(created)
    },

    getInstanceKarmadaConfig: () => ({ version: karmadaVersion }),

    async getInstance({ name }, call) {
      const view = viewOf(fleet, name)
      return view ? messageOfView(view) : messageOfObject(await readInstance(host, name, call))
    },

    async updateInstance({ name, data }, call) {
      const { labels, annotations, spec, resourceVersion, uid } = replacementOf(name, data)
      const current = await readInstance(host, name, call)
      const { managedFields: _, ...metadata } = current.metadata
      const stored = await write(() =>
        host.request<Instance>({
          method: 'PUT',
          path: resourcePath(INSTANCES, { name }),
          query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' },
          body: {
            ...current,
            metadata: {
              ...metadata,
              labels,
              annotations,
              ...(uid ? { uid } : {}),
              ...(resourceVersion ? { resourceVersion } : {}),
            },
            spec,
          },
          signal: call.signal,
        }),
      )
      return { data: JSON.stringify(stored) }
    },

    async deleteInstance({ name }, call) {
      await host.request({ method: 'DELETE', path: resourcePath(INSTANCES, { name }), signal: call.signal })
      return {}
    },

    async getInstanceJSON({ name }, call) {
      return { data: JSON.stringify(await readInstance(host, name, call)) }
    },

    getInstanceKubeConfig({ instance }) {
      knownView(fleet, instance)
      return { instance, kubeConfigString: doorKubeconfig(instance, dependencies.door()) }
    },

    createInstanceAdminKubeConfig: ({ instance, expirationSeconds }, call) =>
      issueAdminKubeconfig(fleet, knownView(fleet, instance), expirationSeconds, call),

    ...karmadaSettings(host, (name, call) => readInstance(host, name, call)),

    watchInstances: (request, call) => watchInstances(feed, request, call),

    explainInstance({ name }) {
      const { view, configuration, pending, transitions, leading } = explanationOf(fleet, name)
      return {
        instance: messageOfView(view),
        configuration: [...configuration],
        pending: [...pending],
        transitions: transitions.map(transitionOf),
        leading,
        leader: fleet.leadership().holder ?? '',
      }
    },

    listInstanceTransitions: ({ name }) => ({
      items: explanationOf(fleet, name).transitions.map(transitionOf),
    }),

    getInstanceChart: () => ({ chart: plainJson(fleet.chart()) }),

    inspectInstance({ name }, call) {
      knownView(fleet, name)
      return inspect(fleet, name, call.signal)
    },
  }
}

async function* inspect(fleet: Fleet, name: string, signal: AbortSignal) {
  for await (const { time, instance, kind, record } of fleet.inspect(name, { signal })) {
    yield { time, instance, kind, record: plainJson(record) }
  }
}

/** The whole fleet as this replica sees it, once it sees it. */
function knownOf(fleet: Fleet): readonly InstanceView[] {
  if (!fleet.synced) {
    throw unavailable('the instances have not been read from the host yet: try again in a moment', {
      retryAfterSeconds: 1,
    })
  }
  return fleet.list()
}

function viewOf(fleet: Fleet, name: string): InstanceView | undefined {
  return fleet.synced ? fleet.get(name) : undefined
}

function knownView(fleet: Fleet, name: string): InstanceView {
  knownOf(fleet)
  const view = fleet.get(name)
  if (!view) throw notFoundInstance(name)
  return view
}

function explanationOf(fleet: Fleet, name: string): Explanation {
  knownOf(fleet)
  const explanation = fleet.explain(name)
  if (!explanation) throw notFoundInstance(name)
  return explanation
}

const notFoundInstance = (name: string): Failure =>
  notFound(`there is no instance called ${JSON.stringify(name)}`)

async function readInstance(host: KubeApi, name: string, call: Call): Promise<Instance> {
  try {
    return await host.request<Instance>({
      method: 'GET',
      path: resourcePath(INSTANCES, { name }),
      signal: call.signal,
    })
  } catch (error) {
    if (isNotFound(error)) throw notFoundInstance(name)
    throw error
  }
}

/** The host names wrong fields as they stand in the object; the caller sent that object as `data`. */
async function write<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    const failure = toFailure(error)
    const { violations } = failure.details
    if (!violations) throw failure
    throw new Failure(failure.code, failure.message, {
      ...failure.details,
      violations: violations.map(violation => ({
        ...violation,
        field: violation.field ? `data.${violation.field}` : 'data',
      })),
    })
  }
}
