import { badRequest } from '../../apiserver/api-status.js'
import type { PodConnection, PodRequest } from '../../apiserver/endpoints/kubelet.js'
import type { ApiResponse } from '../../apiserver/wire/exchange.js'
import type { Pod } from '../../objects/core.js'
import { ContainerLog } from './container-log.js'
import { portForward } from './port-forward.js'
import { readLog } from './read-log.js'
import { attach, type Container, exec } from './remote-command.js'

const TAKEN: ApiResponse = { code: 101, body: { taken: true } }

/** What all kubelets of a member answer about containers that nothing runs in: logs, toy commands, echoing ports. */
export class SimulatedKubelet {
  /** By `{uid}/{container}`. */
  readonly #logs = new Map<string, ContainerLog>()

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

  /** Forgets the containers of a pod that is gone. */
  forget({ metadata }: Pod): void {
    for (const key of this.#logs.keys()) if (key.startsWith(`${metadata.uid}/`)) this.#logs.delete(key)
  }

  #containerOf({ pod, query }: PodRequest): Container {
    const name = query.get('container') || pod.spec?.containers?.[0]?.name || ''
    const { metadata, spec } = pod
    if (!spec?.containers?.some(one => one.name === name))
      throw badRequest(`container ${name} is not valid for pod ${metadata.name}`)
    return {
      environment: { HOSTNAME: metadata.name, POD_NAMESPACE: metadata.namespace ?? '', CONTAINER: name },
      log: this.#logOf(pod, name),
    }
  }

  #logOf({ metadata, spec }: Pod, name: string): ContainerLog {
    const key = `${metadata.uid}/${name}`
    const known = this.#logs.get(key)
    if (known) return known
    const log = new ContainerLog(this.now)
    const image = spec?.containers?.find(one => one.name === name)?.image ?? ''
    log.write(`simulated container ${name} of image ${image}`)
    log.write(
      'nothing runs here; kubectl exec knows echo, cat, env, hostname, log, sh -c, true, false and exit',
    )
    this.#logs.set(key, log)
    return log
  }
}
