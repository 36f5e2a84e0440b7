import { CACHED_FROM, RESOURCE_REGISTRIES } from '../../../../karmada/objects/resource-registry.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { StatusError } from '../../../../manifests/status-error.js'
import { ensure, remove } from '../../../../playground/client/write.js'
import type { KubeApi, KubeRequest } from '../../../../ports/kube-api.js'

/** The paths of karmada-search. */
export const GROUP = '/apis/search.karmada.io/v1alpha1'
export const PROXY = `${GROUP}/proxying/karmada/proxy`
export const CACHE = `${GROUP}/search/cache`

/** A list, as any of them answers it. */
export interface Listed {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly resourceVersion?: string
    readonly continue?: string
    readonly remainingItemCount?: number
  }
  readonly items: readonly KubeObject[]
}

/** A ResourceRegistry of some kinds, each as `Pod`, `Pod/namespace` or `apps/v1 Deployment`, in clusters of these names. */
export const registry = (
  name: string,
  clusterNames: readonly string[],
  kinds: readonly string[],
  spec: object = {},
): KubeObject =>
  ({
    apiVersion: `${RESOURCE_REGISTRIES.group}/${RESOURCE_REGISTRIES.version}`,
    kind: 'ResourceRegistry',
    metadata: { name },
    spec: {
      targetCluster: { clusterNames },
      resourceSelectors: kinds.map(text => {
        const [version = '', named] = text.includes(' ') ? text.split(' ') : ['v1', text]
        const [kind = '', namespace] = (named ?? '').split('/')
        return { apiVersion: version, kind, ...(namespace !== undefined && { namespace }) }
      }),
      ...spec,
    },
  }) as KubeObject

export const register = (api: KubeApi, object: KubeObject): Promise<KubeObject> =>
  ensure(api, RESOURCE_REGISTRIES, object)
export const unregister = (api: KubeApi, name: string): Promise<void> =>
  remove(api, RESOURCE_REGISTRIES, { name })

export const get = <T = Listed>(
  api: KubeApi,
  path: string,
  query: NonNullable<KubeRequest['query']> = {},
  rest: Partial<KubeRequest> = {},
): Promise<T> => api.request<T>({ method: 'GET', path, query, ...rest })

/** The items of a list, as `cluster/name`. */
export const sources = ({ items }: Pick<Listed, 'items'>): string[] =>
  items.map(({ metadata }) => `${metadata.annotations?.[CACHED_FROM]}/${metadata.name}`)

/** What a resourceVersion or continue token of several clusters says. */
export const decoded = (text: string | undefined): Readonly<Record<string, string>> =>
  JSON.parse(Buffer.from(text ?? '', 'base64url').toString())

/** The failure of a request. @throws Error when it succeeds */
export async function refusal(work: Promise<unknown>): Promise<StatusError> {
  const error = await work.then(
    () => new Error('the request was not refused'),
    (caught: Error) => caught,
  )
  if (error instanceof StatusError) return error
  throw error
}

/** A ConfigMap. */
export const configMap = (name: string, namespace = 'default', data: object = {}): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data }) as KubeObject
