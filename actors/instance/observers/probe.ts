import { type AnyEventObject, fromCallback } from 'xstate'
import { canonical } from '../../../machines/canonical.js'
import type { Stage } from '../../../machines/failure.js'
import type { OwnObserverEvent } from '../../../machines/instance/events.js'
import type { Answer, ControlPlane } from '../../../machines/instance/facts.js'
import { isInDoubt, type Steadiness, steadied, unsaid } from '../../../machines/instance/steadiness.js'
import { jittered } from '../../../machines/retry.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { fail, failureOf } from '../../kube/failure.js'
import type { InstanceDependencies } from '../dependencies.js'
import type { Connected, InstanceConnection } from '../instance-connection.js'
import { karmadaVersionOf } from './karmada-version.js'

/** Karmada's aggregated API: every `clusters` request goes through it, and nothing else shows whether it works. */
const AGGREGATED_API = '/apis/cluster.karmada.io/v1alpha1'
const NO_KARMADA =
  'cluster.karmada.io is not served here; the kubeconfig must lead to a Karmada control plane'
/** A probe that takes longer than this has failed; a control plane this slow is of no use. */
const TIMEOUT_MS = 5_000
/** What a probe reads is one object at most, and usually some bytes. */
const LARGEST_ANSWER = 1 << 20
/** Between two probes while in doubt. */
const DOUBT_MS = 2_000
/** Between two probes of what has been broken for a while; in the first minute, and once it answers again, it is probed every `DOUBT_MS`. */
const BROKEN_MS = 10_000
const BROKEN_AFTER = 30
/**
 * A control plane that refuses a probe with Retry-After is left alone for so long at most: three refusals are needed to call it broken, and what stands
 * before it may say an hour.
 */
const MOST_OBEYED_MS = 60_000
/** Version and identity hardly change: every so many probes, and on every new connection. */
const IDENTITY_EVERY = 60

/**
 * Asks a control plane and its aggregated API how they are, for as long as there is a connection, and reports what changed.
 * Both are probed, because either can be down while the other looks well.
 */
export const probeControlPlane = (dependencies: InstanceDependencies) =>
  fromCallback<AnyEventObject, { name: string }, OwnObserverEvent>(({ input: { name }, sendBack }) => {
    const probe = new Probe(dependencies, name, sendBack)
    return () => probe.stop()
  })

/** What a probe asks about. */
type Part = 'both' | 'control plane' | 'aggregated API'

class Probe {
  readonly #stopped = new AbortController()
  readonly #following: { unsubscribe(): void }
  #timer: NodeJS.Timeout | undefined
  #round = 0
  #identity: ControlPlane | undefined
  #controlPlane: Steadiness<ControlPlane> = unsaid
  #aggregatedApi: Steadiness<object> = unsaid
  #reported = ''
  /** Of the kubeconfig under which the last good answer came. */
  #reachedWith: string | undefined
  readonly connection: InstanceConnection

  constructor(
    private readonly dependencies: InstanceDependencies,
    private readonly name: string,
    private readonly send: (event: OwnObserverEvent) => void,
  ) {
    this.connection = dependencies.connectionOf(name)
    this.#following = this.connection.changes.subscribe(() => this.#startOver())
  }

  stop(): void {
    this.#following.unsubscribe()
    this.#stopped.abort()
    clearTimeout(this.#timer)
  }

  /** Another connection, or none: the last report stands until the new connection has answered. */
  #startOver(): void {
    this.#identity = undefined
    this.#round += 1
    clearTimeout(this.#timer)
    // Who comes up is bounded already, and rotated credentials must prove themselves soon: this one waits for no budget.
    if (this.connection.current) void this.#askNow(this.connection.current, this.#round, 'both')
    else {
      ;[this.#controlPlane, this.#aggregatedApi, this.#reported] = [unsaid, unsaid, '']
      this.#reachedWith = undefined
    }
  }

  /**
   * One probe and the appointment for the next. A thousand at once would all be too late with their answers, and be probed again
   * the sooner; at a rate they are not, and none waits for one that does not answer. Never rejects: every failure of a
   * request is an answer, and a probe that was stopped while it waited reports nothing.
   */
  async #ask(connected: Connected, round: number, isSuspect: boolean): Promise<void> {
    const { signal } = this.#stopped
    const { asking, callers } = this.dependencies
    try {
      if (isSuspect) await asking.turn(signal, 'suspect')
      else await callers.turn(asking, this.name, { used: 'serving', unused: 'calm' }, signal)
    } catch (error) {
      if (error !== signal.reason) throw error
      return
    }
    if (round === this.#round) await this.#askNow(connected, round, isSuspect ? 'both' : this.#part())
  }

  #calm: Part = 'aggregated API'
  /**
   * Where rounds of the whole fleet take longer than the interval, a calm control plane that nobody uses is asked one thing at a time. One
   * that is away answers neither, so it is noticed as soon as before; what breaks one of the two alone is noticed with the next round.
   */
  #part(): Part {
    const { asking, callers, paces } = this.dependencies
    if (callers.has(this.name) || asking.roundMs('calm') <= paces.probeIntervalMs) return 'both'
    this.#calm = this.#calm === 'aggregated API' ? 'control plane' : 'aggregated API'
    return this.#calm
  }

  async #askNow(connected: Connected, round: number, part: Part): Promise<void> {
    const { api, fingerprint } = connected
    const { signal } = this.#stopped
    const [controlPlane, aggregatedApi] = await Promise.all([
      part !== 'aggregated API' && this.#askControlPlane(api),
      part !== 'control plane' && answerOf('aggregated API', () => aggregatedApiOf(api, signal)),
    ])
    // The answer of a connection that was replaced meanwhile is dropped: the new one may lead to another control plane.
    if (signal.aborted || round !== this.#round) return
    if (controlPlane) {
      if (controlPlane.ok) [this.#identity, this.#reachedWith] = [controlPlane, fingerprint]
      this.#controlPlane = steadied(this.#controlPlane, controlPlane)
    }
    if (aggregatedApi) this.#aggregatedApi = steadied(this.#aggregatedApi, aggregatedApi)
    this.#report()
    const pause = this.#pause()
    const asked = Math.max(askedToWait(controlPlane), askedToWait(aggregatedApi))
    this.#timer = setTimeout(
      () => void this.#ask(connected, this.#round, pause === DOUBT_MS),
      Math.max(jittered(pause, this.dependencies.random()), asked),
    )
  }

  #askControlPlane(api: KubeApi): Promise<Answer<ControlPlane>> {
    const known = this.#knownIdentity()
    return answerOf('control plane', () => controlPlaneOf(api, known, this.#stopped.signal))
  }

  #broken = 0
  #pause(): number {
    const parts = [this.#controlPlane, this.#aggregatedApi]
    const doubt = parts.some(isInDoubt)
    const answersAgain = parts.some(({ said, contradictions }) => said?.ok === false && contradictions > 0)
    this.#broken = doubt && !answersAgain ? this.#broken + 1 : 0
    if (!doubt) return this.dependencies.paces.probeIntervalMs
    return this.#broken > BROKEN_AFTER ? BROKEN_MS : DOUBT_MS
  }

  #report(): void {
    const [controlPlane, aggregatedApi] = [this.#controlPlane.said, this.#aggregatedApi.said]
    if (!controlPlane || !aggregatedApi) return
    const event: OwnObserverEvent = {
      type: 'controlPlane.probed',
      controlPlane,
      aggregatedApi,
      ...(this.#reachedWith !== undefined && { fingerprint: this.#reachedWith }),
    }
    const text = canonical(event)
    if (text === this.#reported) return
    this.#reported = text
    this.send(event)
  }

  #probes = 0
  /** The identity read over this connection before; undefined when it has to be read again. */
  #knownIdentity(): ControlPlane | undefined {
    return this.#identity && ++this.#probes % IDENTITY_EVERY !== 0 ? this.#identity : undefined
  }
}

async function answerOf<T extends object>(stage: Stage, ask: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, ...(await ask()) }
  } catch (error) {
    return { ok: false, failure: failureOf(error, stage) }
  }
}

/** How long a control plane that refused a probe is left alone because it asks for it, milliseconds. @param answer undefined or false where nothing was asked */
const askedToWait = (answer: Answer<object> | false | undefined): number =>
  answer && !answer.ok ? Math.min(answer.failure.retryAfterMs ?? 0, MOST_OBEYED_MS) : 0

const get = <T>(api: KubeApi, path: string, signal: AbortSignal): Promise<T> =>
  api.request<T>({ method: 'GET', path, signal, timeoutMs: TIMEOUT_MS, maxAnswerBytes: LARGEST_ANSWER })

async function controlPlaneOf(
  api: KubeApi,
  known: ControlPlane | undefined,
  signal: AbortSignal,
): Promise<ControlPlane> {
  await ready(api, signal)
  return known ?? identityOf(api, signal)
}

async function ready(api: KubeApi, signal: AbortSignal): Promise<void> {
  const answer = await get<unknown>(api, '/readyz', signal)
  if (answer !== 'ok')
    fail(
      'Unhealthy',
      'control plane',
      `GET /readyz: ${typeof answer === 'string' ? answer.slice(0, 200) : 'the answer is no text'}`,
    )
}

async function identityOf(api: KubeApi, signal: AbortSignal): Promise<ControlPlane> {
  const [version, home, karmadaVersion] = await Promise.all([
    get<{ gitVersion?: string }>(api, '/version', signal),
    get<KubeObject>(api, '/api/v1/namespaces/kube-system', signal),
    karmadaVersionOf(path => get(api, path, signal)),
  ])
  const { uid } = home.metadata
  if (!uid || !version.gitVersion)
    fail('Unhealthy', 'control plane', 'GET /version or namespace kube-system: the answer is incomplete')
  return { id: uid, kubernetesVersion: version.gitVersion, ...(karmadaVersion && { karmadaVersion }) }
}

async function aggregatedApiOf(api: KubeApi, signal: AbortSignal): Promise<object> {
  const notServed = (): never => fail('NotServed', 'aggregated API', NO_KARMADA)
  try {
    const list = await get<{ resources?: readonly { name: string }[] }>(api, AGGREGATED_API, signal)
    return list.resources?.some(({ name }) => name === 'clusters') ? {} : notServed()
  } catch (error) {
    return error instanceof StatusError && error.code === 404 ? notServed() : Promise.reject(error)
  }
}
