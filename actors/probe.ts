import { type AnyEventObject, fromCallback } from 'xstate'
import { canonical } from '../machines/canonical.js'
import type { OwnObserverEvent } from '../machines/events.js'
import type { Answer, ControlPlane } from '../machines/facts.js'
import type { Stage } from '../machines/failure.js'
import { jittered } from '../machines/retry.js'
import { isInDoubt, type Steadiness, steadied, unsaid } from '../machines/steadiness.js'
import type { KubeObject } from '../manifests/kube.js'
import type { KubeApi } from '../ports/kube-api.js'
import type { InstanceConnection } from './connection.js'
import { fail, failureOf } from './failure.js'
import { karmadaVersionOf } from './karmada-version.js'
import type { Surroundings } from './surroundings.js'

/** Karmada's aggregated API: every `clusters` request goes through it, and nothing else shows whether it works. */
const AGGREGATED_API = '/apis/cluster.karmada.io/v1alpha1'
/** A probe that takes longer than this has failed; a control plane this slow serves nobody. */
const TIMEOUT_MS = 5_000
/** Between two probes while in doubt. */
const DOUBT_MS = 2_000
/** Between two probes of what has been broken for a while; the first minute is asked every `DOUBT_MS`. */
const BROKEN_MS = 10_000
const BROKEN_AFTER = 30
/** Version and identity hardly change: every so many probes, and on every new connection. */
const IDENTITY_EVERY = 60

/**
 * Asks a control plane and its aggregated API how they are, for as long as there is a connection, and tells what changed.
 * Both are asked, because either can be down while the other looks well.
 */
export const probeControlPlane = (surroundings: Surroundings) =>
  fromCallback<AnyEventObject, { name: string }, OwnObserverEvent>(({ input: { name }, sendBack }) => {
    const probe = new Probe(surroundings, surroundings.connectionOf(name), sendBack)
    return () => probe.stop()
  })

class Probe {
  readonly #stopped = new AbortController()
  readonly #following: { unsubscribe(): void }
  #timer: NodeJS.Timeout | undefined
  #round = 0
  #identity: ControlPlane | undefined
  #controlPlane: Steadiness<ControlPlane> = unsaid
  #aggregatedApi: Steadiness<object> = unsaid
  #told = ''

  constructor(
    private readonly surroundings: Surroundings,
    private readonly connection: InstanceConnection,
    private readonly tell: (event: OwnObserverEvent) => void,
  ) {
    this.#following = connection.changes.subscribe(() => this.#startOver())
  }

  stop(): void {
    this.#following.unsubscribe()
    this.#stopped.abort()
    clearTimeout(this.#timer)
  }

  /** Another connection, or none: what is being said stays until the new one has answered. */
  #startOver(): void {
    this.#identity = undefined
    this.#round += 1
    clearTimeout(this.#timer)
    if (this.connection.current) void this.#ask(this.connection.current.api, this.#round)
    else [this.#controlPlane, this.#aggregatedApi, this.#told] = [unsaid, unsaid, '']
  }

  /**
   * One probe and the appointment for the next. A thousand at once would all be too late with their answers, and be asked again
   * the sooner; some at a time are not, and one that does not answer is not waited for. Never rejects: every error is an answer.
   */
  async #ask(api: KubeApi, round: number): Promise<void> {
    const { signal } = this.#stopped
    const leave = await this.surroundings.probing.enter(signal).catch(() => undefined)
    if (!leave) return // stopped
    if (round === this.#round) await this.#askNow(api, round)
    leave()
  }

  async #askNow(api: KubeApi, round: number): Promise<void> {
    const { signal } = this.#stopped
    const known = this.#knownIdentity()
    const [controlPlane, aggregatedApi] = await Promise.all([
      answerOf('control plane', () => controlPlaneOf(api, known, signal)),
      answerOf('aggregated API', () => aggregatedApiOf(api, signal)),
    ])
    // What a connection says that was replaced meanwhile holds for nobody: who is behind the new one, it must say itself.
    if (signal.aborted || round !== this.#round) return
    if (controlPlane.ok) this.#identity = controlPlane
    this.#controlPlane = steadied(this.#controlPlane, controlPlane)
    this.#aggregatedApi = steadied(this.#aggregatedApi, aggregatedApi)
    this.#report()
    this.#timer = setTimeout(
      () => void this.#ask(api, this.#round),
      jittered(this.#pause(), this.surroundings.random()),
    )
  }

  #broken = 0
  #pause(): number {
    const doubt = isInDoubt(this.#controlPlane) || isInDoubt(this.#aggregatedApi)
    this.#broken = doubt ? this.#broken + 1 : 0
    if (!doubt) return this.surroundings.paces.probeIntervalMs
    return this.#broken > BROKEN_AFTER ? BROKEN_MS : DOUBT_MS
  }

  #report(): void {
    const [controlPlane, aggregatedApi] = [this.#controlPlane.said, this.#aggregatedApi.said]
    if (!controlPlane || !aggregatedApi) return
    const event: OwnObserverEvent = { type: 'controlPlane.probed', controlPlane, aggregatedApi }
    const text = canonical(event)
    if (text === this.#told) return
    this.#told = text
    this.tell(event)
  }

  #probes = 0
  /** What the connection said of itself before; undefined when it is to be asked again. */
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

const get = <T>(api: KubeApi, path: string, signal: AbortSignal): Promise<T> =>
  api.request<T>({ method: 'GET', path, signal, timeoutMs: TIMEOUT_MS })

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
  if (answer !== 'ok') fail('Unhealthy', 'control plane', `GET /readyz: ${String(answer).slice(0, 200)}`)
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
  const list = await get<{ resources?: readonly { name: string }[] }>(api, AGGREGATED_API, signal)
  if (!list.resources?.some(({ name }) => name === 'clusters'))
    fail('NotServed', 'aggregated API', `GET ${AGGREGATED_API}: clusters are not served; is this a Karmada?`)
  return {}
}
