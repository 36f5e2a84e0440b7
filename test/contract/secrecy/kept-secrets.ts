import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import { PEDIA_CLUSTERS } from '../../../manifests/pedia-cluster.js'
import type { ApiServer } from '../../../playground/apiserver/server.js'
import { SECRETS } from '../../../playground/objects/core-types.js'
import { type SecretValue, secretsIn } from './secret-values.js'

/** Every secret value that clusters hold or have held since they are followed. */
export class KeptSecrets {
  readonly values: SecretValue[] = []

  /** Follows all Secrets of a cluster, and of the host its PediaClusters, which hold kubeconfigs. */
  follow(server: ApiServer): void {
    this.#follow(server, SECRETS)
    this.#follow(server, PEDIA_CLUSTERS)
  }

  /** A value that no cluster holds. */
  add(text: string, of: string): void {
    const found = secretsIn(text, of)
    if (found.length === 0) throw new Error(`${of} has no secret`)
    this.values.push(...found)
  }

  #follow(server: ApiServer, type: GroupVersionResource): void {
    const keep = (object: KubeObject) => {
      const { namespace = '', name } = object.metadata
      const of = `${type.resource} ${namespace}/${name} of ${server.name}`
      this.values.push(...secretsIn(JSON.stringify(object), of))
    }
    server.follow(type, {
      onSeen: seen => {
        if (seen.type === 'listed') for (const object of seen.objects) keep(object)
        if (seen.type === 'applied') keep(seen.object)
      },
      onEnd: () => undefined,
    })
  }
}
