import { badRequest } from '../../apiserver/api-status.js'
import type { PodConnection, PodRequest } from '../../apiserver/endpoints/kubelet.js'
import type { ApiResponse } from '../../apiserver/wire/exchange.js'
import type { Container, Pod } from '../../objects/core.js'
import { ContainerLog } from './container-log.js'
import { isKnown, startProcess } from './container-process.js'
import { Files } from './files.js'
import { logRefusal } from './log-refusal.js'
import { portForward } from './port-forward.js'
import { readLog } from './read-log.js'
import { attach, exec, type Inside } from './remote-command.js'
import { PROGRAMS } from './toy-shell.js'

const TAKEN: ApiResponse = { code: 101, body: { taken: true } }

/** What all kubelets of a member answer about containers that nothing runs in: logs, toy commands, echoing ports. */
export class SimulatedKubelet {
  /** The last run of each container, by `{uid}/{container}`. */
  readonly #containers = new Map<string, Inside>()
  /** The log of the run before that. */
  readonly #previousLogs = new Map<string, ContainerLog>()

  constructor(readonly now: () => number) {}

  readonly connect: PodConnection = async request => {
    const { pod, subresource } = request
    if (subresource === 'portforward') {
      await portForward(request)
      return TAKEN
    }
    const container = containerOf(request)
    if (subresource === 'log') return readLog(this.#logOf(request, container), request.query, request.signal)
    if (!isRunning(pod, container.name)) throw badRequest(`container not found ("${container.name}")`)
    const inside = this.#insideOf(pod, container)
    if (subresource === 'exec') await exec(request, inside)
    else await attach(request, inside)
    return TAKEN
  }

  /**
   * Begins a run of a container, with a log and files of its own, and starts its main process if it is one that is known here.
   * @param signal aborted when the run is over
   */
  readonly startProcess = (pod: Pod, name: string, signal: AbortSignal): Promise<number> | undefined => {
    const container = pod.spec?.containers?.find(one => one.name === name)
    if (!container) return undefined
    const key = keyOf(pod, name)
    const before = this.#containers.get(key)
    if (before) this.#previousLogs.set(key, before.log)
    this.#containers.delete(key)
    const inside = this.#insideOf(pod, container)
    signal.addEventListener('abort', () => inside.log.end(), { once: true })
    return startProcess(container, { ...inside, signal })
  }

  /** Forgets the containers of a pod that is gone. */
  forget(uid: string): void {
    for (const kept of [this.#containers, this.#previousLogs])
      for (const key of kept.keys()) if (key.startsWith(`${uid}/`)) kept.delete(key)
  }

  #logOf({ pod, query }: PodRequest, container: Container): ContainerLog {
    const { name } = container
    const isPrevious = query.get('previous') === 'true'
    const refusal = logRefusal(pod, name, isPrevious)
    if (refusal) throw badRequest(refusal)
    const { log } = this.#insideOf(pod, container)
    // Of a container that waits for its next start, the last run is also the one before that.
    if (isPrevious && isRunning(pod, name)) {
      const previous = this.#previousLogs.get(keyOf(pod, name))
      // Its status is kept over a restart of the playground, and its log is not.
      if (!previous)
        throw badRequest(`previous terminated container "${name}" in pod "${pod.metadata.name}" not found`)
      return previous
    }
    // It ended before the playground was started: nothing will be written.
    if (!isRunning(pod, name)) log.end()
    return log
  }

  #insideOf(pod: Pod, container: Container): Inside {
    const { name, image = '', env = [] } = container
    const { namespace = '' } = pod.metadata
    const key = keyOf(pod, name)
    const known = this.#containers.get(key)
    if (known) return known
    const log = new ContainerLog(this.now)
    // What a known program writes is its log, and nothing else.
    if (!isKnown(container)) {
      log.write(`simulated container ${name} of image ${image}`)
      log.write(`nothing runs here; kubectl exec knows ${PROGRAMS.join(', ')}`)
    }
    const inside: Inside = {
      environment: {
        HOSTNAME: pod.spec?.hostname ?? pod.metadata.name,
        POD_NAMESPACE: namespace,
        CONTAINER: name,
        ...Object.fromEntries(env.map(({ name: variable, value = '' }) => [variable, value])),
      },
      log,
      files: new Files(),
    }
    this.#containers.set(key, inside)
    return inside
  }
}

const keyOf = ({ metadata: { uid } }: Pod, container: string): string => `${uid}/${container}`

const isRunning = ({ status }: Pod, container: string): boolean =>
  status?.containerStatuses?.find(({ name }) => name === container)?.state.running !== undefined

function containerOf({ pod, query }: PodRequest): Container {
  const name = query.get('container') || pod.spec?.containers?.[0]?.name || ''
  const container = pod.spec?.containers?.find(one => one.name === name)
  if (!container) throw badRequest(`container ${name} is not valid for pod ${pod.metadata.name}`)
  return container
}
