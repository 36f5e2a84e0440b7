import { isKarmadaSlice, SLICE } from '../../../karmada/networking/marks.js'
import type { EndpointSlice } from '../../../karmada/networking/slice-works.js'
import type { Cluster } from '../../../karmada/objects/cluster.js'
import type { KubeApi, KubeConnector } from '../../../ports/kube-api.js'
import { Mirror } from '../../client/mirror.js'
import { ENDPOINT_SLICES } from '../../objects/core-types.js'
import { joinOf } from '../member-client.js'
import { Members } from '../propagation/members.js'

interface Followed {
  readonly mirror: Mirror<EndpointSlice>
  /** Of the Cluster that is followed; another needs another watch. */
  readonly join: string
  isSynced: boolean
}

/**
 * The EndpointSlices of members, for all controllers of a control plane. A member is watched once, from the first question about
 * it; owns connections and watches.
 */
export class MemberSlices {
  readonly #members: Members
  readonly #followed = new Map<string, Followed>()
  readonly #listeners: ((slice: EndpointSlice | undefined) => void)[] = []
  #closed = false

  constructor(control: KubeApi, connector: KubeConnector) {
    this.#members = new Members(control, connector, () => undefined)
  }

  /** @param onChange receives each slice that changed, and of `undefined` when all of a member are known for the first time */
  listen(onChange: (slice: EndpointSlice | undefined) => void): void {
    this.#listeners.push(onChange)
  }

  /**
   * The EndpointSlices of a Service that the member itself made.
   * @returns undefined while they are not known yet
   */
  async of(
    cluster: Cluster,
    { namespace, name }: { readonly namespace: string; readonly name: string },
  ): Promise<readonly EndpointSlice[] | undefined> {
    const followed = await this.#follow(cluster)
    if (!followed?.isSynced) return undefined
    return [...followed.mirror.store.values()].filter(
      slice =>
        slice.metadata.namespace === namespace &&
        slice.metadata.labels?.[SLICE.service] === name &&
        slice.metadata.deletionTimestamp === undefined &&
        !isKarmadaSlice(slice),
    )
  }

  /** Forgets a member. */
  async drop(cluster: string): Promise<void> {
    this.#followed.get(cluster)?.mirror.close()
    this.#followed.delete(cluster)
    await this.#members.drop(cluster)
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const { mirror } of this.#followed.values()) mirror.close()
    this.#followed.clear()
    await this.#members.close()
  }

  async #follow(cluster: Cluster): Promise<Followed | undefined> {
    const { name } = cluster.metadata
    const join = joinOf(cluster)
    const known = this.#followed.get(name)
    if (known?.join === join) return known
    const api = await this.#members.connect(cluster)
    // Another question may have been quicker.
    const present = this.#followed.get(name)
    if (present?.join === join || this.#closed) return present
    present?.mirror.close()
    const mirror = new Mirror<EndpointSlice>(api, ENDPOINT_SLICES, change => {
      if (change.type === 'SYNCED') followed.isSynced = true
      for (const listener of this.#listeners) listener(change.type === 'SYNCED' ? undefined : change.object)
    })
    const followed: Followed = { mirror, join, isSynced: false }
    this.#followed.set(name, followed)
    return followed
  }
}
