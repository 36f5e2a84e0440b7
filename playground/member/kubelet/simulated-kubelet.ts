import { badRequest } from '../../apiserver/api-status.js'
import type { PodConnection, PodRequest } from '../../apiserver/endpoints/kubelet.js'
import type { ApiResponse } from '../../apiserver/wire/exchange.js'
import type { Container, Pod } from '../../objects/core.js'
import { ContainerLog } from './container-log.js'
import { isKnown, startProcess } from './container-process.js'
import { Files } from './files.js'
import { portForward } from './port-forward.js'
import { readLog } from './read-log.js'
import { attach, exec, type Inside } from './remote-command.js'
import { PROGRAMS } from './toy-shell.js'

const TAKEN: ApiResponse = { code: 101, body: { taken: true } }

/** What all kubelets of a member answer about containers that nothing runs in: logs, toy commands, echoing ports. */
export class SimulatedKubelet {
  /** By `{uid}/{container}`. */
  readonly #containers = new Map<string, Inside>()

  constructor(readonly now: () => number) {}

  readonly connect: PodConnection = async request => {
    const { pod, subresource } = request
    if (subresource === 'portforward') {
      await portForward(request)
      return TAKEN
    }
    const container = this.#containerOf(request)
    if (subresource === 'log') return readLog(container.log, request.query, request.signal)
    if (pod.status?.phase !== 'Running') throw badRequest(`container not found in pod ${pod.metadata.name}`)
    if (subresource === 'exec') await exec(request, container)
    else await attach(request, container)
    return TAKEN
  }

  /** Starts the main process of a container, if it is one that is known here. */
  readonly startProcess = (pod: Pod, name: string, signal: AbortSignal): Promise<number> | undefined => {
    const container = pod.spec?.containers?.find(one => one.name === name)
    if (!container) return undefined
    return startProcess(container, { ...this.#insideOf(pod, container), signal })
  }

  /** Forgets the containers of a pod that is gone. */
  forget(uid: string): void {
    for (const key of this.#containers.keys()) if (key.startsWith(`${uid}/`)) this.#containers.delete(key)
  }

  #containerOf({ pod, query }: PodRequest): Inside {
    const name = query.get('container') || pod.spec?.containers?.[0]?.name || ''
    const container = pod.spec?.containers?.find(one => one.name === name)
    if (!container) throw badRequest(`container ${name} is not valid for pod ${pod.metadata.name}`)
    return this.#insideOf(pod, container)
  }

  #insideOf(pod: Pod, container: Container): Inside {
    const { name, image = '', env = [] } = container
    const { uid, namespace = '' } = pod.metadata
    const key = `${uid}/${name}`
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
