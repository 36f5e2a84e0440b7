import { toFailure } from '../../errors/to-failure.js'
import type { OwnConnection } from '../../objects/requests/own-requests.js'
import { someAtOnce } from '../concurrency/some-at-once.js'

/** A kind that a control plane serves, or one of its subresources. */
export interface ServedKind {
  readonly group: string
  readonly version: string
  /** With its subresource after a slash. */
  readonly resource: string
  readonly kind: string
  readonly namespaced: boolean
  /** Kubernetes' verbs that it has. */
  readonly verbs: readonly string[]
}

interface GroupList {
  readonly groups?: readonly {
    readonly name: string
    readonly preferredVersion?: { readonly version: string }
  }[]
}
interface ResourceList {
  readonly resources?: readonly {
    readonly name: string
    readonly kind: string
    readonly namespaced: boolean
    readonly verbs?: readonly string[]
  }[]
}

const AT_ONCE = 8

/** What a control plane serves, each in its preferred version. What an aggregated API does not answer is left out, and noted. */
export async function servedKinds(
  connection: OwnConnection,
  note: (problem: string) => void,
): Promise<readonly ServedKind[]> {
  const { groups = [] } = await connection.request<GroupList>({ method: 'GET', path: '/apis' })
  const versions = [
    { group: '', version: 'v1' },
    ...groups.flatMap(({ name, preferredVersion }) =>
      preferredVersion ? [{ group: name, version: preferredVersion.version }] : [],
    ),
  ]
  const found = await someAtOnce(versions, AT_ONCE, async ({ group, version }) => {
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    try {
      const { resources = [] } = await connection.request<ResourceList>({ method: 'GET', path })
      return resources
        .filter(({ name }) => !name.endsWith('/status'))
        .map(({ name, kind, namespaced, verbs = [] }) => ({
          ...{ group, version, resource: name, kind, namespaced, verbs: inOrder(verbs) },
        }))
    } catch (error) {
      note(`kinds of ${path.slice(1)}: ${toFailure(error).message}`)
      return []
    }
  })
  return found.flat()
}

/** As Kubernetes' own documents list verbs; built-in types and custom ones are discovered in two other orders. */
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']

const inOrder = (verbs: readonly string[]): readonly string[] => [
  ...VERBS.filter(verb => verbs.includes(verb)),
  ...verbs.filter(verb => !VERBS.includes(verb)),
]
