import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { includes } from '../../http/identity/role-rights.js'
import { permissionOf } from '../../http/operation/permission.js'
import { COLUMNS } from './columns.js'
import { AT_HOME, expected, nameOf, operations } from './table.js'

interface ClusterRole {
  readonly metadata: { readonly name: string }
  readonly rules: readonly {
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
    readonly verbs: readonly string[]
  }[]
}

const install = resolve(import.meta.dirname, '../../manifests/install')
const people = parseAllDocuments(readFileSync(join(install, '23-rbac-users.yaml'), 'utf8')).map(
  document => document.toJS() as ClusterRole,
)
/** The rights of a ClusterRole to what is Kairship's: `get instances`. */
const rightsOf = (role: string): Set<string> =>
  new Set(
    people
      .find(({ metadata }) => metadata.name === role)!
      .rules.filter(({ apiGroups }) => apiGroups.includes('kairship.io'))
      .flatMap(({ resources, verbs }) => resources.flatMap(one => verbs.map(verb => `${verb} ${one}`))),
  )

/** The rights that operations need, each with the operations. */
const needed = new Map<string, string[]>()
for (const method of operations) {
  const right = permissionOf(method)
  if (!right || right.anyCaller) continue
  const name = `${right.verb} ${right.resource}`
  needed.set(name, [...(needed.get(name) ?? []), nameOf(method)])
}

const ROLES = COLUMNS.flatMap(({ role }) => (role ? [role] : []))
const isOfARole = (right: string): boolean => {
  const [verb = '', resource = ''] = right.split(' ')
  return ROLES.some(({ name, covers }) => includes(name, covers, { verb, resource }))
}

/** Types of the host that are about all instances, or about who has rights on them: no role on one includes any right to them. */
const OF_THE_PLATFORM = new Set([
  ...['accesslocks', 'clusters', 'instancerolebindings', 'workspaces', 'workspacerolebindings'],
])
/** Rights to instances that no role on one includes: to all of them, to others than those that are there, and to what Kairship has of them. */
const PLATFORM = [
  ...['create', 'update', 'delete', 'list', 'watch'].map(verb => `${verb} instances`),
  ...['list instances/audit', 'watch instances/audit', 'update instances/workspace'],
]

describe('the rights that operations need', () => {
  it('are each of a role on an instance, or of the platform', () => {
    const ofPlatform = (right: string) => OF_THE_PLATFORM.has(right.split(' ')[1] ?? '')
    const others = [...needed.keys()].filter(right => !isOfARole(right) && !ofPlatform(right))
    expect(others.sort()).toEqual([...PLATFORM].sort())
    expect([...needed.keys()].filter(right => ofPlatform(right) && isOfARole(right))).toEqual([])
  })

  it('are each in a ClusterRole that the manifests install for people', () => {
    const given = new Set(people.flatMap(({ metadata }) => [...rightsOf(metadata.name)]))
    expect([...needed.keys()].filter(right => !given.has(right))).toEqual([])
  })

  it('are what roles include, but for what the proxy and handlers ask about', () => {
    const resources = new Set([...needed.keys(), 'get instances/status'].map(right => right.split(' ')[1]))
    const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'use', 'deletecollection']
    const included = [...resources].flatMap(resource =>
      verbs.map(verb => `${verb} ${resource}`).filter(right => isOfARole(right)),
    )
    // Of each instance by itself, where a list is filtered; and what kubectl would read on the host.
    const others = ['get instances/audit', 'get instances/status']
    expect(included.filter(right => !needed.has(right))).toEqual(others)
  })
})

describe('the table', () => {
  it('gives a stronger role nothing less, and a role on the whole instance nothing less than one on namespaces', () => {
    const rank = { refused: 0, 'refused inside': 0, member: 1, filtered: 1, allowed: 2 } as const
    const less = operations.flatMap(method => {
      const of = (title: string) => rank[expected(method, COLUMNS.find(one => one.title === title)!, AT_HOME)]
      const pairs = [
        ...['Viewer Editor', 'Editor Admin'].map(pair => pair.split(' ')),
        ...['Viewer, namespaces|Editor, namespaces', 'Editor, namespaces|Admin, namespaces'].map(pair =>
          pair.split('|'),
        ),
        ...['Viewer', 'Admin', 'Editor'].map(role => [`${role}, namespaces`, role]),
        ['Admin', 'Platform'],
      ] as [string, string][]
      return pairs
        .filter(([weaker, stronger]) => of(weaker) > of(stronger))
        .map(pair => `${nameOf(method)}: ${pair.join(' > ')}`)
    })
    // An Editor of the whole instance gets Secrets in single namespaces: a list of all is refused, and one of few is shown.
    expect(less).toEqual(['Core.ListInstanceSecrets: Editor, namespaces > Editor'])
  })

  it('lets nobody without a role do more than every caller may, and see what is theirs', () => {
    const nobody = COLUMNS[0]!
    const allowed = operations.filter(method => expected(method, nobody, AT_HOME) === 'allowed').map(nameOf)
    expect(allowed.sort()).toEqual([
      'AccessReview.ReviewAccess',
      'AccessReview.WhoAmI',
      'Image.DetectKangaroo',
      'Instance.GetInstanceChart',
      'Instance.GetInstanceKarmadaConfig',
    ])
  })
})
