import type { GroupVersionResource } from '../../../manifests/kube.js'
import { isNotFound } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'

interface ResourceList {
  readonly resources?: readonly { readonly name: string; readonly kind: string }[]
}

/** Finds the resource type of a kind, as the control plane serves it. What was found once is not asked for again. */
export class ResourceTypes {
  readonly #found = new Map<string, GroupVersionResource>()

  constructor(private readonly control: KubeApi) {}

  /** @returns undefined while the control plane does not serve the kind */
  async find(apiVersion: string, kind: string): Promise<GroupVersionResource | undefined> {
    const key = `${apiVersion} ${kind}`
    const known = this.#found.get(key)
    if (known) return known
    const [version = '', group = ''] = apiVersion.split('/').reverse()
    const resource = await this.#plural(group === '' ? `/api/${version}` : `/apis/${group}/${version}`, kind)
    if (resource === undefined) return undefined
    const type = { group, version, resource }
    this.#found.set(key, type)
    return type
  }

  async #plural(path: string, kind: string): Promise<string | undefined> {
    try {
      const { resources = [] } = await this.control.request<ResourceList>({ method: 'GET', path })
      return resources.find(one => one.kind === kind && !one.name.includes('/'))?.name
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }
}
