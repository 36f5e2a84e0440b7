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
import { Canary, type Sent, type Sighting } from './canary.js'

const stage = 'virtual cluster'

/** A canary's request that takes longer than this has failed; the next look or beat tries again. */
const TIMEOUT_MS = 5_000

/** A canary that another replica wrote measures well enough where it was written within so many intervals. */
const MOST_INTERVALS = 2

/** The control plane answers and refuses the canary: nothing can be measured until that changes. */
const refusals: readonly FailureReason[] = ['Forbidden', 'Invalid', 'NotFound', 'NotServed']

/** The canary as a replica that does not lead found it. */
interface Found {
  readonly version: string | undefined
  /** When it was asked for, of the monotonic clock. */
  readonly at: number
}

/**
 * Measures for as long as there is an index that claims to be synced. It is a probe and no effect: nothing waits for it. But
 * it writes, so it checks who leads before every beat; replicas that do not lead read what the leader wrote, and write it anew only
 * where their own callers use the index and it is too old to measure by.
 */
export const measureIndex = (dependencies: InstanceDependencies) =>
  fromCallback<AnyEventObject, { name: string }, OwnObserverEvent>(({ input: { name }, sendBack }) => {
    const { asking, freshness, indexUse, paces, meter, log, random, startupBurst } = dependencies
    if (paces.indexCanaryIntervalMs === 0) return undefined
    const stopped = new AbortController()
    const { signal } = stopped
    let found: Found | undefined
    let isStalled = false
    const canary = new Canary({
      clock: systemClock,
      random,
      intervalMs: paces.indexCanaryIntervalMs,
      patienceMs: paces.indexCanaryPatienceMs,
      // The end of a stall is to be noticed soon, whether callers use the index or are kept from it.
      turn: () =>
        isStalled
          ? asking.turn(signal, 'index in use')
          : indexUse.turn(asking, name, { used: 'index in use', unused: 'index at rest' }, signal),
      send: () =>
        send(dependencies, name, async api => {
          const before = found
          found = await find(api, signal)
          return fresh(dependencies, name, { api, before, found, signal })
        }),
      read: () => versionOf(insideOf(dependencies, name), resourcePath(CONFIG_MAPS, INDEX_CANARY), signal),
      look: () => look(dependencies, name, signal),
      measured: figure => {
        freshness.note(name, figure)
        if (figure.state === 'current') meter.observe('kairship_index_lag_seconds', figure.lagMs / 1000)
      },
      judged: index => {
        isStalled = !index.ok
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
  follow: (api: KubeApi) => Promise<Sent>,
): Promise<Sent> {
  const instance = dependencies.host.instances.get(name)
  if (!instance) return undefined
  if (!isCanaryIndexed(instance)) return { impossible: 'ConfigMaps are not indexed' }
  const api = insideOf(dependencies, name)
  try {
    const { leading, signal: term } = dependencies.leadership()
    if (!leading) return await follow(api)
    const writtenAfter = systemClock.now()
    const version = await write(dependencies, api, name, term)
    return version === undefined ? undefined : { version, writtenAfter }
  } catch (error) {
    const { reason, message } = failureOf(error, stage)
    if (refusals.includes(reason)) return { impossible: message }
    throw error
  }
}

async function find(api: KubeApi, signal: AbortSignal): Promise<Found> {
  const at = systemClock.now()
  return { at, version: await versionOf(api, resourcePath(CONFIG_MAPS, INDEX_CANARY), signal) }
}

/**
 * The canary that another replica wrote, as it was found; one of our own where callers need it and that one is old. The leader does not
 * know what callers of other replicas read.
 */
async function fresh(
  { indexUse, paces }: InstanceDependencies,
  name: string,
  {
    api,
    before,
    found: { at, version },
    signal,
  }: {
    readonly api: KubeApi
    readonly before: Found | undefined
    readonly found: Found
    readonly signal: AbortSignal
  },
): Promise<Sent> {
  if (version === undefined) return undefined
  // Another version than the last time was written since.
  const writtenAfter = before && before.version !== version ? before.at : undefined
  const isOld = writtenAfter === undefined || at - writtenAfter > MOST_INTERVALS * paces.indexCanaryIntervalMs
  if (isOld && indexUse.has(name)) return rewrite(api, signal)
  return { version, ...(writtenAfter !== undefined && { writtenAfter }) }
}

/**
 * Writes the canary anew where there is one. Unlike `write` it never creates it, so it cannot make it again after the leader
 * deleted it with its instance.
 */
async function rewrite(api: KubeApi, signal: AbortSignal): Promise<Sent> {
  const writtenAfter = systemClock.now()
  try {
    const { metadata } = await api.request<KubeObject>({
      ...asCanary,
      method: 'PATCH',
      path: resourcePath(CONFIG_MAPS, INDEX_CANARY),
      query: { fieldManager: FIELD_MANAGER },
      contentType: 'application/merge-patch+json',
      body: { data: { beat: new Date().toISOString() } },
      signal,
    })
    return metadata.resourceVersion === undefined
      ? undefined
      : { version: metadata.resourceVersion, writtenAfter }
  } catch (error) {
    if (isNotFound(error)) return undefined
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
