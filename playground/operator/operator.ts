import type { KubeApi } from '../../ports/kube-api.js'
import type { Log } from '../../ports/log.js'
import { equal, type Json } from '../apimachinery/json.js'
import { toBase64 } from '../client/kubeconfig.js'
import { Mirror } from '../client/mirror.js'
import { Reconciler } from '../client/reconciler.js'
import { ensure, remove, update, withFinalizer, withoutFinalizer } from '../client/write.js'
import type { Karmada } from '../karmada/control-plane.js'
import { CONTROL_PLANE_ADMIN } from '../karmada/proxy-admin.js'
import type { Secret } from '../objects/core.js'
import { CUSTOM_RESOURCE_DEFINITIONS, SECRETS, SERVICES } from '../objects/core-types.js'
import { timestamp } from '../objects/timestamp.js'
import { withDefaults } from './defaults.js'
import {
  DISABLE_CASCADING_DELETION,
  KARMADA_FINALIZER,
  KARMADAS,
  type KarmadaObject,
  type KarmadaStatus,
  karmadaDefinition,
} from './karmada-resource.js'
import { ADMIN_CONFIG_KEY, adminConfigSecretName, aggregatedApiServerName, apiServerName } from './names.js'
import { validateKarmada } from './validate.js'

/** How the operator is started on a host. */
export interface OperatorOptions {
  readonly host: KubeApi
  readonly log: Log
  readonly now?: () => number
  /** Brings a control plane up, or up again after a restart. @param id `<namespace>-<name>` of the Karmada object */
  readonly install: (id: string) => Promise<Karmada>
  /** Forgets what `install` kept of a control plane that is closed. */
  readonly uninstall: (id: string) => Promise<void>
}

/** karmada-operator's labels on what it makes. */
const OPERATOR_LABELS = { 'app.kubernetes.io/managed-by': 'karmada-operator' } as const

/** Installs a control plane for every Karmada object, with karmada-operator's statuses, names and rules of deletion. */
export class Operator {
  readonly #options: OperatorOptions
  readonly #installed = new Map<string, Karmada>()
  /** Generations that were brought to an end, by key: nothing else has them reconciled again. */
  readonly #done = new Map<string, number>()
  readonly #objects: Mirror<KarmadaObject>
  readonly #queue: Reconciler

  static async start(options: OperatorOptions): Promise<Operator> {
    await ensure(options.host, CUSTOM_RESOURCE_DEFINITIONS, karmadaDefinition)
    return new Operator(options)
  }

  private constructor(options: OperatorOptions) {
    this.#options = options
    this.#queue = new Reconciler({
      log: options.log,
      reconcile: async key => {
        await this.#reconcile(key)
        return undefined
      },
    })
    this.#objects = new Mirror<KarmadaObject>(options.host, KARMADAS, change => {
      if (change.type === 'SYNCED') return
      const { namespace, name, deletionTimestamp, generation } = change.object.metadata
      // What this operator writes into the status is no reason to reconcile: a failure would be retried at once, for ever.
      if (
        change.type === 'MODIFIED' &&
        !deletionTimestamp &&
        generation === change.previous.metadata.generation
      )
        return
      this.#queue.add(`${namespace}/${name}`)
    })
  }

  /** The control planes that are up, by `<namespace>/<name>` of their Karmada object. */
  get installed(): ReadonlyMap<string, Karmada> {
    return this.#installed
  }

  /** Stops operating, and the control planes with it: they live in this process. */
  async close(): Promise<void> {
    this.#objects.close()
    await this.#queue.close()
    await Promise.all([...this.#installed.values()].map(karmada => karmada.close()))
  }

  async #reconcile(key: string): Promise<void> {
    const object = this.#objects.store.get(key)
    if (!object) {
      this.#done.delete(key)
      return
    }
    if (object.metadata.deletionTimestamp) {
      await this.#delete(key, object)
      return
    }
    if (object.spec?.suspend || this.#done.get(key) === object.metadata.generation) return
    if (await this.#setDefaults(object)) return
    const errors = validateKarmada(object)
    if (errors.length > 0)
      await this.#fail(object, 'ValidationError', `validation errors: [${errors.join(', ')}]`)
    else await this.#install(key, object)
    this.#done.set(key, object.metadata.generation ?? 0)
  }

  /** As a mutating webhook would. True when the object was changed: its new state comes by the watch. */
  async #setDefaults({ metadata }: KarmadaObject): Promise<boolean> {
    let changed = false
    await update<KarmadaObject>(this.#options.host, KARMADAS, placeOf(metadata), object => {
      const labels = { [DISABLE_CASCADING_DELETION]: 'false', ...object.metadata.labels }
      const claimed = withFinalizer(object, KARMADA_FINALIZER)
      const next = { ...claimed, metadata: { ...claimed.metadata, labels }, spec: withDefaults(object.spec) }
      if (equal(object as unknown as Json, next as unknown as Json)) return object
      changed = true
      return next
    })
    return changed
  }

  async #install(key: string, object: KarmadaObject): Promise<void> {
    const { namespace = '', name } = object.metadata
    if (!isReady(object))
      await this.#report(object, 'False', 'Progressing', 'karmada init job is in progressing')
    try {
      const karmada = this.#installed.get(key) ?? (await this.#options.install(idOf(key)))
      this.#installed.set(key, karmada)
      await this.#publish(namespace, name, karmada)
    } catch (error) {
      await this.#fail(object, 'Failed', (error as Error).message)
      throw error
    }
    await this.#report(object, 'True', 'Completed', 'karmada init job is completed', {
      secretRef: { namespace, name: adminConfigSecretName(name) },
      apiServerService: { name: apiServerName(name) },
    })
  }

  /** The Secret and the Service by which others find the control plane. */
  async #publish(namespace: string, name: string, { server }: Karmada): Promise<void> {
    const { host } = this.#options
    const kubeconfig = await server.kubeconfig({ name: CONTROL_PLANE_ADMIN, groups: ['system:masters'] })
    const metadata = { namespace, name: adminConfigSecretName(name), labels: OPERATOR_LABELS }
    const data = { [ADMIN_CONFIG_KEY]: toBase64(kubeconfig) }
    await ensure<Secret>(host, SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata, data })
    await update<Secret>(host, SECRETS, metadata, secret => ({ ...secret, data }))
    // The API server of the host refuses a name that is too long, as it does to the real operator.
    for (const [service, port] of servicesOf(name))
      await ensure(host, SERVICES, {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { namespace, name: service, labels: OPERATOR_LABELS },
        spec: { type: 'ClusterIP', ports: [{ name: 'client', port, protocol: 'TCP', targetPort: port }] },
      } as never)
  }

  async #delete(key: string, object: KarmadaObject): Promise<void> {
    const { host, uninstall } = this.#options
    const { namespace = '', name, labels, finalizers = [] } = object.metadata
    if (!finalizers.includes(KARMADA_FINALIZER)) return
    if (labels?.[DISABLE_CASCADING_DELETION] !== 'true') {
      await this.#report(object, 'False', 'Progressing', 'karmada deinit job is in progressing')
      const karmada = this.#installed.get(key)
      this.#installed.delete(key)
      await karmada?.close()
      await uninstall(idOf(key))
      for (const [service] of servicesOf(name)) await remove(host, SERVICES, { namespace, name: service })
      await remove(host, SECRETS, { namespace, name: adminConfigSecretName(name) })
    }
    await update<KarmadaObject>(host, KARMADAS, placeOf(object.metadata), current =>
      withoutFinalizer(current, KARMADA_FINALIZER),
    )
  }

  async #fail(object: KarmadaObject, reason: 'Failed' | 'ValidationError', message: string): Promise<void> {
    await this.#report(object, 'False', reason, message)
  }

  /** Ready is the only condition there is; each report replaces the list. */
  async #report(
    { metadata }: KarmadaObject,
    status: 'True' | 'False',
    reason: string,
    message: string,
    more: Partial<KarmadaStatus> = {},
  ): Promise<void> {
    const { host, now = Date.now } = this.#options
    const place = { ...placeOf(metadata), subresource: 'status' }
    const lastTransitionTime = timestamp(now())
    await update<KarmadaObject>(host, KARMADAS, place, object => {
      const [before] = object.status?.conditions ?? []
      const isSame = before?.status === status && before.reason === reason && before.message === message
      const conditions = isSame ? [before] : [{ type: 'Ready', status, reason, message, lastTransitionTime }]
      const next = { ...object.status, ...more, conditions }
      return equal((object.status ?? {}) as unknown as Json, next as unknown as Json)
        ? object
        : { ...object, status: next }
    })
  }
}

/** The Services of a control plane that others find it by, with their ports. */
const servicesOf = (name: string): readonly (readonly [service: string, port: number])[] => [
  [apiServerName(name), 5443],
  [aggregatedApiServerName(name), 443],
]

const idOf = (key: string): string => key.replace('/', '-')

const placeOf = ({
  namespace = '',
  name,
}: KarmadaObject['metadata']): { namespace: string; name: string } => ({
  namespace,
  name,
})

const isReady = ({ status }: KarmadaObject): boolean => status?.conditions?.[0]?.status === 'True'
