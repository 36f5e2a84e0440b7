import type { Resource } from '../../../karmada/interpreter/workload.js'
import type { Cluster } from '../../../karmada/objects/cluster.js'
import { MARKS } from '../../../karmada/objects/work.js'
import type { GroupVersionResource } from '../../../manifests/kube.js'
import type { KubeApi, KubeConnector } from '../../../ports/kube-api.js'
import { Mirror } from '../../client/mirror.js'
import { connectMember, joinOf } from '../member-client.js'

interface Connection {
  readonly api: Promise<KubeApi>
  /** Of the Cluster that the connection was made with; another needs another. */
  readonly join: string
  /** What Karmada made in the member, by resource type. */
  readonly mirrors: Map<string, Mirror<Resource>>
}

/** Connections to the members, and watches of what Karmada made in them. Opened when first needed; owns all of them. */
export class Members {
  readonly #connections = new Map<string, Connection>()
  #closed = false

  /** @param onManaged receives every object that Karmada made in a member and that was changed or deleted there */
  constructor(
    private readonly control: KubeApi,
    private readonly connector: KubeConnector,
    private readonly onManaged: (object: Resource) => void,
  ) {}

  /** @throws where the credentials of the member are missing */
  async connect(cluster: Cluster): Promise<KubeApi> {
    const { name } = cluster.metadata
    const join = joinOf(cluster)
    for (;;) {
      if (this.#closed) throw new Error('the members are closed')
      const known = this.#connections.get(name)
      if (known?.join === join) return known.api
      if (!known) break
      // Another caller may connect meanwhile: of two connections one would never be closed.
      await this.drop(name)
    }
    const api = connectMember(this.control, cluster, this.connector)
    const connection: Connection = { api, join, mirrors: new Map() }
    this.#connections.set(name, connection)
    api.catch(() => {
      if (this.#connections.get(name) === connection) this.#connections.delete(name)
    })
    return api
  }

  /** Watches what Karmada made of a type in a member. */
  async watch(cluster: Cluster, type: GroupVersionResource): Promise<void> {
    const api = await this.connect(cluster)
    const mirrors = this.#connections.get(cluster.metadata.name)?.mirrors
    const key = `${type.group}/${type.version}/${type.resource}`
    if (!mirrors || mirrors.has(key)) return
    const labelSelector = `${MARKS.managed.key}=${MARKS.managed.value}`
    const onChange: ConstructorParameters<typeof Mirror<Resource>>[2] = change => {
      if (change.type !== 'SYNCED') this.onManaged(change.object)
    }
    mirrors.set(key, new Mirror<Resource>(api, type, onChange, { labelSelector }))
  }

  /** Forgets a connection: its credentials may have changed, or the member left. */
  async drop(name: string): Promise<void> {
    const connection = this.#connections.get(name)
    this.#connections.delete(name)
    if (!connection) return
    for (const mirror of connection.mirrors.values()) mirror.close()
    const api = await connection.api.catch(() => undefined)
    await api?.close()
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#connections.keys()].map(name => this.drop(name)))
  }
}
