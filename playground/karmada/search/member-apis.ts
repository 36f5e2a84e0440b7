import type { Cluster } from '../../../karmada/objects/cluster.js'
import type { KubeApi, KubeConnector } from '../../../ports/kube-api.js'
import { Members } from '../propagation/members.js'

/** Connections to the members, with the credentials that their Clusters name at the time. Owns them. */
export class MemberApis {
  readonly #members: Members

  /** @param clusterOf the Cluster of a name, as it is now */
  constructor(
    control: KubeApi,
    connector: KubeConnector,
    private readonly clusterOf: (name: string) => Cluster | undefined,
  ) {
    this.#members = new Members(control, connector, () => undefined)
  }

  /** The API of a member that outlives its connections: a Cluster whose spec has changed is connected to anew. */
  of(name: string): KubeApi {
    const connect = (): Promise<KubeApi> => {
      const cluster = this.clusterOf(name)
      if (!cluster) throw new Error(`cluster ${name} is not found`)
      return this.#members.connect(cluster)
    }
    return {
      server: name,
      request: async request => (await connect()).request(request),
      async *watch(request) {
        yield* (await connect()).watch(request)
      },
      // The connections are shared, and `close` below ends them.
      close: async () => undefined,
    }
  }

  /** Ends the connection to a member that is not read any more. */
  drop(name: string): Promise<void> {
    return this.#members.drop(name)
  }

  close(): Promise<void> {
    return this.#members.close()
  }
}
