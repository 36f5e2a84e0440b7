import type { GroupVersionResource } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'

/** A type as the control plane serves it. */
export interface FoundType extends GroupVersionResource {
  readonly kind: string
  readonly namespaced: boolean
}

interface ResourceList {
  readonly resources?: readonly {
    readonly name: string
    readonly kind: string
    readonly namespaced?: boolean
  }[]
}

type Entry = NonNullable<ResourceList['resources']>[number]

/** Finds the resource type of a kind, as the control plane serves it. What was found once is not asked for again. */
export class ResourceTypes {
  readonly #found = new Map<string, FoundType>()

  constructor(private readonly control: KubeApi) {}

  /** @returns undefined while the control plane does not serve the kind */
  async find(apiVersion: string, kind: string): Promise<FoundType | undefined> {
    const [version = '', group = ''] = apiVersion.split('/').reverse()
    return this.#lookUp(`${apiVersion} ${kind}`, group, version, entry => entry.kind === kind)
  }

  /** @returns undefined while the control plane does not serve the resource */
  async ofResource({ group, version, resource }: GroupVersionResource): Promise<FoundType | undefined> {
    return this.#lookUp(`${group}/${version}/${resource}`, group, version, entry => entry.name === resource)
  }

  async #lookUp(
    key: string,
    group: string,
    version: string,
    isMeant: (entry: Entry) => boolean,
  ): Promise<FoundType | undefined> {
    const known = this.#found.get(key)
    if (known) return known
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    const entry = (await this.#resources(path)).find(one => isMeant(one) && !one.name.includes('/'))
    if (!entry) return undefined
    const { name: resource, kind, namespaced = false } = entry
    const type = { group, version, resource, kind, namespaced }
    this.#found.set(key, type)
    return type
  }

  async #resources(path: string): Promise<readonly Entry[]> {
    try {
      return (await this.control.request<ResourceList>({ method: 'GET', path })).resources ?? []
    } catch (error) {
      // In plain text, without a reason, where the whole group is not served.
      if (error instanceof StatusError && error.code === 404) return []
      throw error
    }
  }
}
