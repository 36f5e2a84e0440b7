import { type AnyEventObject, fromCallback } from 'xstate'
import type { FailureReason } from '../../machines/failure.js'
import type { OwnObserverEvent } from '../../machines/instance/events.js'
import type { Answer, Measured } from '../../machines/instance/facts.js'
import {
  CONFIG_MAPS,
  INDEX_CANARY,
  indexedCanaryPath,
  isCanaryIndexed,
  renderIndexCanary,
} from '../../manifests/index-canary.js'
import { type KubeObject, resourcePath } from '../../manifests/kube.js'
import { FIELD_MANAGER } from '../../manifests/names.js'
import { isForbidden, isNotFound } from '../../manifests/status-error.js'
import type { KubeApi, KubeRequest } from '../../ports/kube-api.js'
import { systemClock } from '../election/lease-clock.js'
import type { InstanceDependencies } from '../instance/dependencies.js'
import { removeWhole } from '../kube/apply.js'
import { fail, failureOf } from '../kube/failure.js'
import { Canary, type Sighting } from './canary.js'

const stage = 'virtual cluster'

/** A canary's request that takes longer than this has failed; the next look or beat tries again. */
const TIMEOUT_MS = 5_000

/** Of the budget for asks: a write is dearer than a read. */
const CANARY_COST = 1.5

/** The control plane answers and refuses the canary: nothing can be measured until that changes. */
const refusals: readonly FailureReason[] = ['Forbidden', 'Invalid', 'NotFound', 'NotServed']

/**
 * Measures for as long as there is an index that claims to be synced. It is a probe and no effect: nothing waits for it. But
 * it writes, so it checks who leads before every beat; replicas that do not lead read what the leader wrote.
 */
export const measureIndex = (dependencies: InstanceDependencies) =>
  fromCallback<AnyEventObject, { name: string }, OwnObserverEvent>(({ input: { name }, sendBack }) => {
    const { asking, freshness, paces, meter, log, random, startupBurst } = dependencies
    if (paces.indexCanaryIntervalMs === 0) return undefined
    const stopped = new AbortController()
    const { signal } = stopped
    const canary = new Canary({
      clock: systemClock,
      random,
      intervalMs: paces.indexCanaryIntervalMs,
      patienceMs: paces.indexCanaryPatienceMs,
      send: async () => {
        await asking.turn(signal, 'calm', CANARY_COST)
        return send(dependencies, name, signal)
      },
      read: () => versionOf(insideOf(dependencies, name), resourcePath(CONFIG_MAPS, INDEX_CANARY), signal),
      look: () => look(dependencies, name, signal),
      measured: figure => {
        freshness.note(name, figure)
        if (figure.state === 'current') meter.observe('kairship_index_lag_seconds', figure.lagMs / 1000)
      },
      judged: index => {
        report(dependencies, name, index)
        sendBack({ type: 'index.measured', index })
      },
      failed: err => log.debug({ instance: name, err }, 'a canary could not be sent'),
    })
    startupBurst
      .over(signal)
      .then(() => canary.run(signal))
      .catch((err: unknown) => {
        if (!signal.aborted) log.error({ instance: name, err }, 'the canary of an index crashed')
      })
    return () => {
      stopped.abort()
      freshness.forget(name)
    }
  })

/** Deletes the canary once its last write is over. */
export async function removeCanary(
  { canaryWrites }: InstanceDependencies,
  api: KubeApi,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  await canaryWrites.get(name)
  await removeWhole(api, CONFIG_MAPS, INDEX_CANARY, { instance: name, stage: 'role bindings', signal })
}

async function send(
  dependencies: InstanceDependencies,
  name: string,
  signal: AbortSignal,
): Promise<Sighting> {
  const instance = dependencies.host.instances.get(name)
  if (!instance) return undefined
  if (!isCanaryIndexed(instance)) return { impossible: 'ConfigMaps are not indexed' }
  const api = insideOf(dependencies, name)
  try {
    const { leading, signal: term } = dependencies.leadership()
    const version = leading
      ? await write(dependencies, api, name, term)
      : await versionOf(api, resourcePath(CONFIG_MAPS, INDEX_CANARY), signal)
    return version === undefined ? undefined : { version }
  } catch (error) {
    const { reason, message } = failureOf(error, stage)
    if (refusals.includes(reason)) return { impossible: message }
    throw error
  }
}

/** Kairship may lack the right to read the index, as when its manifests are updated late: that says nothing of the index. */
async function look({ host }: InstanceDependencies, name: string, signal: AbortSignal): Promise<Sighting> {
  try {
    const version = await versionOf(host.api, indexedCanaryPath(name), signal)
    return version === undefined ? undefined : { version }
  } catch (error) {
    if (isForbidden(error)) return { impossible: error.message }
    throw error
  }
}

/**
 * Writes the canary, also where it was deleted. Only the end of this replica's term aborts the write: the deletion of an
 * instance waits for it, so that it cannot make the canary again after its removal.
 */
function write(
  { canaryWrites }: InstanceDependencies,
  api: KubeApi,
  name: string,
  term: AbortSignal,
): Promise<string | undefined> {
  const writing = api.request<KubeObject>({
    ...asCanary,
    method: 'PATCH',
    path: resourcePath(CONFIG_MAPS, INDEX_CANARY),
    query: { fieldManager: FIELD_MANAGER, force: true },
    contentType: 'application/apply-patch+yaml',
    body: renderIndexCanary(name, new Date().toISOString()),
    signal: term,
  })
  const over = () => void canaryWrites.delete(name)
  canaryWrites.set(name, writing.then(over, over))
  return writing.then(({ metadata }) => metadata.resourceVersion)
}

/** Requests of canaries are counted apart from others in the metrics. */
const asCanary = { purpose: 'canary', timeoutMs: TIMEOUT_MS } as const satisfies Partial<KubeRequest>

async function versionOf(api: KubeApi, path: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { metadata } = await api.request<KubeObject>({ ...asCanary, method: 'GET', path, signal })
    return metadata.resourceVersion
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function insideOf({ connectionOf }: InstanceDependencies, name: string): KubeApi {
  const connected = connectionOf(name).current
  if (!connected) fail('Unreachable', stage, 'there is no connection to the control plane')
  return connected.api
}

/** Logs and counts judgements; the chart records them as transitions of the instance. */
function report({ meter, log }: InstanceDependencies, instance: string, index: Answer<Measured>): void {
  const to = !index.ok ? 'stalled' : index.unmeasured === undefined ? 'current' : 'unknown'
  meter.count('kairship_index_judgements_total', { to })
  if (!index.ok) log.warn({ instance, because: index.failure.message }, 'an index is stalled')
  else if (index.unmeasured === undefined) log.debug({ instance }, 'an index is current')
  else log.info({ instance, because: index.unmeasured }, 'the lag of an index cannot be measured')
}
