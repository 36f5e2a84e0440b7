import { afterAll, beforeAll } from 'vitest'
import { type ControllerManager, startControllerManager } from '../../../actors/controller-manager.js'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { INSTANCES, type Instance } from '../../../manifests/instance.js'
import {
  type GroupVersionResource,
  type KubeList,
  type KubeObject,
  resourcePath,
} from '../../../manifests/kube.js'
import { type Playground, startPlayground } from '../../../playground/fleet/fleet.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { failed, silent, unmetered } from '../../silent.js'
import { eventually } from './eventually.js'

export const SECRETS = { group: '', version: 'v1', resource: 'secrets' } as const
/** Where the kubeconfigs of instances are kept. */
export const NAMESPACE = 'karmada-instances'
/** The instance that every playground begins with. */
export const EU = 'eu-west'

/** A Secret with a kubeconfig in it. */
export const secretOf = (name: string, kubeconfig: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
})

/** A playground of one instance with one member, and Kairship's controllers over it in this process; for all tests of a file. */
export class OneInstance {
  readonly #connector = kubeConnector()
  playground!: Playground
  kairship!: ControllerManager
  #host!: KubeApi

  /** @param options.random for the jitter of rests, where a test waits for them */
  constructor(private readonly options: { readonly random?: () => number } = {}) {
    beforeAll(async () => {
      const connector = this.#connector
      this.playground = await startPlayground({ instances: 1, membersPerInstance: 1, connector, log: silent })
      this.#host = await connector.connect(this.playground.kubeconfigs.controllerManager)
      this.kairship = this.startReplica('first')
    })
    afterAll(async () => {
      await this.kairship?.stop()
      await this.#host?.close()
      await this.playground?.close()
    })
  }

  startReplica(identity: string, contend = true): ControllerManager {
    return startControllerManager({
      ...this.options,
      failed,
      host: this.#host,
      connector: this.#connector,
      identity,
      contend,
      log: silent,
      meter: unmetered,
      config: {
        namespace: 'kairship-system',
        leaseName: 'kairship-controller-manager',
        leaseDurationMs: 3_600_000,
        renewDeadlineMs: 3_000_000,
        retryPeriodMs: 500,
        probeIntervalMs: 1_000,
        statusIntervalMs: 500,
        indexCanaryIntervalMs: 500,
        indexCanaryPatienceMs: 2_000,
      },
    })
  }

  /** The host, as its administrator. */
  get admin(): KubeApi {
    return this.playground.host.local
  }

  get controlPlane() {
    return this.playground.karmadas.get(EU)!
  }

  create(resource: GroupVersionResource, object: object, namespace?: string): Promise<KubeObject> {
    return this.admin.request<KubeObject>({
      method: 'POST',
      path: resourcePath(resource, namespace === undefined ? {} : { namespace }),
      body: object,
    })
  }

  remove(resource: GroupVersionResource, at: { name: string; namespace?: string }): Promise<unknown> {
    return this.admin.request({ method: 'DELETE', path: resourcePath(resource, at) })
  }

  async list(resource: GroupVersionResource, labelSelector?: string): Promise<readonly KubeObject[]> {
    const path = resourcePath(resource)
    const query = { labelSelector }
    return (await this.admin.request<KubeList<KubeObject>>({ method: 'GET', path, query })).items
  }

  adopt(name: string, secret = name): Promise<KubeObject> {
    return this.create(INSTANCES, {
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'Instance',
      metadata: { name },
      spec: { kubeconfigSecretRef: { namespace: NAMESPACE, name: secret } },
    })
  }

  /** Puts another kubeconfig into the Secret of an instance; null takes it out and leaves something else there. */
  patchSecret(name: string, kubeconfig: string | null): Promise<unknown> {
    return this.admin.request({
      method: 'PATCH',
      path: resourcePath(SECRETS, { namespace: NAMESPACE, name }),
      contentType: 'application/merge-patch+json',
      body: {
        data: kubeconfig === null ? { kubeconfig, other: 'eA==' } : secretOf('', kubeconfig).data,
      },
    })
  }

  /** The CR as everybody can read it. */
  read(name: string): Promise<Instance> {
    return this.admin.request<Instance>({ method: 'GET', path: resourcePath(INSTANCES, { name }) })
  }

  /** What to show of an instance when what was awaited did not come. */
  story(name: string) {
    return () => JSON.stringify(this.kairship.fleet.explain(name), null, 1)
  }

  phase(name: string, wanted: string) {
    return eventually(`${name} is ${wanted}`, async () => (await this.read(name)).status?.phase === wanted, {
      story: this.story(name),
    })
  }

  condition(name: string, type: string, reason: string) {
    return eventually(
      `${name} has ${type}=${reason}`,
      async () =>
        (await this.read(name)).status?.conditions?.find(c => c.type === type && c.reason === reason),
      { story: this.story(name) },
    )
  }

  gone(name: string) {
    return eventually(
      `${name} is gone`,
      async () => !(await this.list(INSTANCES)).some(({ metadata }) => metadata.name === name),
      { story: this.story(name) },
    )
  }
}
