import { Observable } from 'rxjs'
import type { Failure } from '../../machines/failure.js'
import type { KubeObject } from '../../manifests/kube.js'
import { mayHoldKubeconfig } from '../../manifests/kubeconfig-secret.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { Meter } from '../../ports/meter.js'
import { Collection, type Contact } from '../watches/collection.js'

/** A Secret as far as credentials need it. */
export interface Secret extends KubeObject {
  /** Values are base64, as on the wire. */
  readonly data?: Readonly<Record<string, string>>
}

/** How a Secret stands: itself, not there, or not readable now. */
export type SecretSight = { readonly secret: Secret } | 'absent' | { readonly failure: Failure }

/**
 * The Secrets that instances name, through one watch per namespace: a thousand instances with their kubeconfigs in one
 * namespace cost one socket. A namespace is watched as long as a Secret in it is followed.
 */
export class Secrets {
  readonly #namespaces = new Map<string, { readonly secrets: Collection<Secret>; followers: number }>()

  constructor(
    private readonly api: KubeApi,
    private readonly meter: Meter,
  ) {}

  /** Emits how the Secret stands, at once if that is known, and whenever it changes. */
  follow(namespace: string, name: string): Observable<SecretSight> {
    return new Observable<SecretSight>(subscriber => {
      const secrets = this.#enter(namespace)
      let contact: Contact = 'pending'
      let secret: Secret | undefined
      let shown: SecretSight | undefined
      const show = (): void => {
        if (contact === 'pending') return
        const sight: SecretSight =
          typeof contact === 'object' ? { failure: contact } : secret ? { secret } : 'absent'
        if (shown !== undefined && same(shown, sight)) return
        shown = sight
        subscriber.next(sight)
      }
      subscriber.add(() => this.#leave(namespace))
      subscriber.add(
        secrets.follow(`${namespace}/${name}`).subscribe(found => {
          secret = found
          show()
        }),
      )
      subscriber.add(
        secrets.contact.subscribe(stands => {
          contact = stands
          show()
        }),
      )
    })
  }

  stop(): void {
    for (const { secrets } of this.#namespaces.values()) secrets.stop()
    this.#namespaces.clear()
  }

  #enter(namespace: string): Collection<Secret> {
    let entry = this.#namespaces.get(namespace)
    if (!entry) {
      const resource = { group: '', version: 'v1', resource: 'secrets', namespace }
      entry = {
        secrets: new Collection<Secret>(resource, this.api, 'credentials', keptSecret, this.meter),
        followers: 0,
      }
      this.#namespaces.set(namespace, entry)
      entry.secrets.start()
    }
    entry.followers += 1
    return entry.secrets
  }

  #leave(namespace: string): void {
    const entry = this.#namespaces.get(namespace)
    if (!entry) return
    entry.followers -= 1
    if (entry.followers > 0) return
    entry.secrets.stop()
    this.#namespaces.delete(namespace)
  }
}

function keptSecret(object: KubeObject): Secret {
  const { type, data } = object as Secret & { type?: string }
  const { name, namespace, uid, resourceVersion } = object.metadata
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    ...(data && mayHoldKubeconfig(type) && { data }),
  }
}

const same = (a: SecretSight, b: SecretSight): boolean =>
  a === b ||
  (typeof a === 'object' && typeof b === 'object' && 'secret' in a && 'secret' in b && a.secret === b.secret)
