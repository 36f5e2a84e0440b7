import { type AnyEventObject, fromCallback } from 'xstate'
import type { OwnObserverEvent } from '../machines/events.js'
import type { Answer, Measured } from '../machines/facts.js'
import type { FailureReason } from '../machines/failure.js'
import {
  CONFIG_MAPS,
  INDEX_CANARY,
  indexedCanaryPath,
  isCanaryIndexed,
  renderIndexCanary,
} from '../manifests/index-canary.js'
import { type KubeObject, resourcePath } from '../manifests/kube.js'
import { FIELD_MANAGER } from '../manifests/names.js'
import { isForbidden, isNotFound } from '../manifests/status-error.js'
import type { KubeApi, KubeRequest } from '../ports/kube-api.js'
import { removeWhole } from './apply.js'
import { Canary, type Sighting } from './canary.js'
import { fail, failureOf } from './failure.js'
import { systemClock } from './lease-clock.js'
import type { Surroundings } from './surroundings.js'

const stage = 'virtual cluster'

/** A canary's request that takes longer than this has failed; the next look or beat tries again. */
const TIMEOUT_MS = 5_000

/** The control plane is there and will not have the canary: nothing can be measured until somebody changes that. */
const refusals: readonly FailureReason[] = ['Forbidden', 'Invalid', 'NotFound', 'NotServed']

/**
 * Measures for as long as there is an index that claims to be synced. It is a probe and no effect: nobody waits for it. But
 * it writes, so it asks who leads before every beat; the replicas that do not lead read what the leader wrote.
 */
export const measureIndex = (surroundings: Surroundings) =>
  fromCallback<AnyEventObject, { name: string }, OwnObserverEvent>(({ input: { name }, sendBack }) => {
    const { freshness, paces, meter, log, random, rush } = surroundings
    if (paces.indexCanaryIntervalMs === 0) return undefined
    const stopped = new AbortController()
    const { signal } = stopped
    const canary = new Canary({
      clock: systemClock,
      random,
      intervalMs: paces.indexCanaryIntervalMs,
      patienceMs: paces.indexCanaryPatienceMs,
      send: () => send(surroundings, name, signal),
      read: () => versionOf(insideOf(surroundings, name), resourcePath(CONFIG_MAPS, INDEX_CANARY), signal),
      look: () => look(surroundings, name, signal),
      measured: figure => {
        freshness.note(name, figure)
        if (figure.state === 'current') meter.observe('kairship_index_lag_seconds', figure.lagMs / 1000)
      },
      judged: index => {
        tellOthers(surroundings, name, index)
        sendBack({ type: 'index.measured', index })
      },
      failed: err => log.debug({ instance: name, err }, 'a canary could not be sent'),
    })
    rush
      .over(signal)
      .then(() => canary.fly(signal))
      .catch((err: unknown) => {
        if (!signal.aborted) log.error({ instance: name, err }, 'the canary of an index crashed')
      })
    return () => {
      stopped.abort()
      freshness.forget(name)
    }
  })

/** Takes the canary away for good, once the last write of it is through. */
export async function removeCanary(
  { canaryWrites }: Surroundings,
  api: KubeApi,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  await canaryWrites.get(name)
  await removeWhole(api, CONFIG_MAPS, INDEX_CANARY, { instance: name, stage: 'role bindings', signal })
}

async function send(surroundings: Surroundings, name: string, signal: AbortSignal): Promise<Sighting> {
  const instance = surroundings.host.instances.get(name)
  if (!instance) return undefined
  if (!isCanaryIndexed(instance)) return { impossible: 'ConfigMaps are not indexed' }
  const api = insideOf(surroundings, name)
  try {
    const { leading, signal: term } = surroundings.leadership()
    const version = leading
      ? await write(surroundings, api, name, term)
      : await versionOf(api, resourcePath(CONFIG_MAPS, INDEX_CANARY), signal)
    return version === undefined ? undefined : { version }
  } catch (error) {
    const { reason, message } = failureOf(error, stage)
    if (refusals.includes(reason)) return { impossible: message }
    throw error
  }
}

/** That we may not read the index is our trouble and not the index's: an update whose manifests came late. */
async function look({ host }: Surroundings, name: string, signal: AbortSignal): Promise<Sighting> {
  try {
    const version = await versionOf(host.api, indexedCanaryPath(name), signal)
    return version === undefined ? undefined : { version }
  } catch (error) {
    if (isForbidden(error)) return { impossible: error.message }
    throw error
  }
}

/**
 * Writes it anew, whoever took it away. Only the end of this replica's term cuts it short: an instance that is being deleted
 * waits for it, so that it is not made again behind the back of its removal.
 */
function write(
  { canaryWrites }: Surroundings,
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

/** Apart from the work in the metrics. */
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

function insideOf({ connectionOf }: Surroundings, name: string): KubeApi {
  const connected = connectionOf(name).current
  if (!connected) fail('Unreachable', stage, 'there is no connection to the control plane')
  return connected.api
}

/** The chart tells the instance's story; here for the log and the figures of all instances. */
function tellOthers({ meter, log }: Surroundings, instance: string, index: Answer<Measured>): void {
  const to = !index.ok ? 'standingStill' : index.unmeasured === undefined ? 'current' : 'unknown'
  meter.count('kairship_index_judgements_total', { to })
  if (!index.ok) log.warn({ instance, because: index.failure.message }, 'an index stands still')
  else if (index.unmeasured === undefined) log.debug({ instance }, 'an index moves')
  else log.info({ instance, because: index.unmeasured }, 'the lag of an index cannot be measured')
}
