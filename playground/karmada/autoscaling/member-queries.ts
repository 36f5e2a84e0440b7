import { CLUSTERS, type Cluster } from '../../../karmada/objects/cluster.js'
import { resourcePath } from '../../../manifests/kube.js'
import type { KubeApi, KubeConnector } from '../../../ports/kube-api.js'
import { conditionOf } from '../../objects/conditions.js'
import { Members } from '../propagation/members.js'

/** A member that has not answered by then is left out, milliseconds. */
const PATIENCE_MS = 5_000

/** What one member answered. */
export interface MemberAnswer<T> {
  readonly cluster: string
  readonly answer: T
}

/** Asks all members of a control plane the same. Owns its connections to them. */
export class MemberQueries {
  readonly #control: KubeApi
  readonly #members: Members

  constructor(control: KubeApi, connector: KubeConnector) {
    this.#control = control
    this.#members = new Members(control, connector, () => undefined)
  }

  /**
   * Asks the ready members at once.
   * @param isMeant which Clusters are queried; all unless given
   * @returns by cluster name, without those that did not answer, or answered with an error
   */
  async ask<T>(
    request: { readonly path: string; readonly query?: Readonly<Record<string, string>> },
    isMeant: (cluster: Cluster) => boolean = () => true,
  ): Promise<readonly MemberAnswer<T>[]> {
    const path = resourcePath(CLUSTERS)
    const { items } = await this.#control.request<{ items: readonly Cluster[] }>({ method: 'GET', path })
    const meant = items.filter(cluster => isMeant(cluster) && isReady(cluster))
    const answers = await Promise.all(
      meant.map(async cluster => {
        try {
          const api = await this.#members.connect(cluster)
          const answer = await api.request<T>({ method: 'GET', timeoutMs: PATIENCE_MS, ...request })
          return { cluster: cluster.metadata.name, answer }
        } catch {
          // As Karmada does: the others' answers count.
          return undefined
        }
      }),
    )
    return answers
      .filter(answer => answer !== undefined)
      .sort((one, other) => (one.cluster < other.cluster ? -1 : 1))
  }

  close(): Promise<void> {
    return this.#members.close()
  }
}

const isReady = ({ status }: Cluster): boolean => conditionOf(status?.conditions, 'Ready')?.status === 'True'
