import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { someAtOnce } from '../../../http/rpc/concurrency/some-at-once.js'
import { type RbacObject, renderRbac } from '../../../manifests/instance-rbac.js'
import { COLUMNS, type Column } from '../../access/columns.js'
import { type Inside, insideOf, operations, verdictInside } from '../../access/table.js'
import { ApiClient } from '../api-client.js'
import { eventually } from '../probe.js'

const PREFIX = 'access-table'
const [BOUND, OTHER] = [`${PREFIX}-bound`, `${PREFIX}-other`]
const roles = COLUMNS.flatMap(column => (column.role ? [{ column, role: column.role }] : []))
const userOf = ({ title }: Column) => `${PREFIX}:${title.replaceAll(/\W+/g, '-')}`

/** The RBAC that Kairship makes of the roles, under names of its own: a Kairship that manages this instance must not remove it. */
function rbac(): readonly RbacObject[] {
  const bindings = roles.map(({ column, role }, index) => ({
    metadata: { name: String(index) },
    spec: {
      ...{ instance: PREFIX, role: role.name, subjects: [{ kind: 'User', name: userOf(column) } as const] },
      ...(role.covers === 'namespaces' && { namespaces: [BOUND] }),
    },
  }))
  const inside = { present: [BOUND, OTHER], holdsMemberCredentials: () => false }
  const own = (name: string) => name.replace(/^kairship:/, `${PREFIX}:`)
  return renderRbac(PREFIX, bindings as never, inside).map(({ object }) => ({
    ...object,
    metadata: {
      name: own(object.metadata.name),
      ...(object.metadata.namespace && { namespace: object.metadata.namespace }),
    },
    ...(object.roleRef && { roleRef: { ...object.roleRef, name: own(object.roleRef.name) } }),
  }))
}

const pathOf = ({ kind, metadata: { namespace } }: RbacObject) =>
  `/apis/rbac.authorization.k8s.io/v1/${namespace ? `namespaces/${namespace}/` : ''}${kind.toLowerCase()}s`

/** Each kind of thing that operations do inside, once. */
const actions = [
  ...new Map(
    operations.flatMap(method => {
      const inside = insideOf(method)
      return inside && inside !== 'member' ? [[JSON.stringify(inside), inside] as const] : []
    }),
  ).values(),
]

/** What a kube-apiserver asks its authorizer for such a request: a namespace is in itself. */
const attributesOf = ({ verb, group, resource, namespace, isNamespace }: Inside, of: string) => ({
  ...{ verb, group, resource: resource.split('/')[0], subresource: resource.split('/')[1] },
  ...((namespace === 'named' || isNamespace) && { namespace: of }),
  ...(isNamespace && { name: of }),
})

describe('the RBAC of roles in a real Karmada', () => {
  let karmada: ApiClient
  const made: RbacObject[] = []

  const review = async (user: string, resourceAttributes: object): Promise<boolean> => {
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
    const spec = { user, groups: ['system:authenticated'], resourceAttributes }
    return (await karmada.must<{ status: { allowed: boolean } }>('POST', path, { spec })).status.allowed
  }

  beforeAll(async () => {
    karmada = new ApiClient(Object.values(inject('stack').karmadas)[0]!)
    for (const name of [BOUND, OTHER])
      await karmada.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    for (const object of rbac()) {
      await karmada.apply(object as never)
      made.push(object)
    }
    for (const { column, role } of roles)
      await eventually(
        () =>
          review(userOf(column), {
            ...{ verb: 'get', group: '', resource: 'configmaps' },
            ...(role.covers === 'namespaces' && { namespace: BOUND }),
          }),
        `${column.title} is in effect`,
      )
  })
  afterAll(async () => {
    for (const object of made) await karmada.send('DELETE', `${pathOf(object)}/${object.metadata.name}`)
    for (const name of [BOUND, OTHER]) await karmada.send('DELETE', `/api/v1/namespaces/${name}`)
  })

  it.each(roles)(
    'allows what the table of access says, and nothing else: $column.title',
    async ({ column, role }) => {
      const cases = actions.flatMap(action =>
        (['bound', 'other'] as const).map(namespace => ({
          action,
          where: { instance: 'own', namespace } as const,
        })),
      )
      const wrong = await someAtOnce(cases, 16, async ({ action, where }) => {
        const attributes = attributesOf(action, where.namespace === 'bound' ? BOUND : OTHER)
        const isAllowed = await review(userOf(column), attributes)
        return isAllowed === (verdictInside(action, role, where) === 'allowed') ? [] : [attributes]
      })
      expect(actions.length).toBeGreaterThan(50)
      expect(wrong.flat()).toEqual([])
    },
  )
})
