import type { permissionDenied } from '../../../../http/errors/failure.js'
import { type ExplainDependencies, explainAccess } from '../../../../http/rpc/access-review/explain.js'
import type { AccessQuestion } from '../../../../http/rpc/access-review/servers-on-the-way.js'
import type { RbacSubject } from '../../../../karmada/rbac/subject.js'
import { fakeRoleBindings } from '../../fakes/role-bindings.js'

/** The user of whom the questions are. */
export const ANN = { kind: 'User', name: 'ann' } as const
/** Where requests of the member m1 go. */
export const MEMBER = '/apis/cluster.karmada.io/v1alpha1/clusters/m1/proxy'
/** What is asked about unless a test says something else. */
export const LIST = {
  ...{ verb: 'list', group: 'apps', resource: 'deployments', subresource: '', namespace: 'shop', name: '' },
}

/** A server's RBAC: one ClusterRole, bound to some; and what it says of every request. */
export interface Server {
  readonly allows?: boolean
  readonly denies?: boolean
  readonly subjects?: readonly RbacSubject[]
  readonly rule?: object
  readonly fails?: Error
  readonly rbacFails?: Error
  /** How the read of the member m1 is refused. */
  readonly memberFails?: Error
}

/** An instance with the member m1, both as a test says, and Kairship's own decision. */
export function world({
  control = {},
  member = {},
  kairship = true,
}: {
  control?: Server
  member?: Server
  kairship?: boolean
}) {
  const roleBindings = fakeRoleBindings()
  const requests: {
    readonly path: string
    readonly impersonate?: { readonly user: string }
    readonly body?: unknown
  }[] = []
  const answer = (server: Server, path: string) => {
    if (path.endsWith('/clusters/m1')) {
      if (server.memberFails) throw server.memberFails
      return {}
    }
    if (path.endsWith('reviews')) {
      if (server.fails) throw server.fails
      return {
        status: { allowed: server.allows ?? false, denied: server.denies ?? false, reason: 'so it is' },
      }
    }
    if (server.rbacFails) throw server.rbacFails
    const rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], ...server.rule }
    const metadata = { name: 'all' }
    if (path.endsWith('/clusterroles')) return { items: [{ metadata, rules: [rule] }] }
    if (path.endsWith('/clusterrolebindings'))
      return {
        items: [{ metadata, roleRef: { kind: 'ClusterRole', name: 'all' }, subjects: server.subjects ?? [] }],
      }
    return { items: [] }
  }
  const connection = {
    async request(request: (typeof requests)[number]) {
      requests.push(request)
      return request.path.startsWith(MEMBER) ? answer(member, request.path) : answer(control, request.path)
    },
  }
  const ending = new AbortController()
  const locked = { refusal: undefined as ReturnType<typeof permissionDenied> | undefined }
  const dependencies = {
    ownRequests: { connect: async () => connection },
    authorizer: { decide: async () => ({ allowed: kairship, reason: '' }) },
    roleBindings,
    locked: { refusal: () => locked.refusal },
  } as unknown as ExplainDependencies
  const call = {
    caller: { user: 'root', groups: [], extra: {} },
    signal: ending.signal,
  } as unknown as Parameters<typeof explainAccess>[1]
  const explain = (question: Partial<AccessQuestion> = {}) =>
    explainAccess(dependencies, call, {
      ...{
        instance: 'eu',
        subject: { user: 'ann', groups: ['team'], extra: {} },
        request: LIST,
        ofKairship: false,
      },
      action: { verb: 'get', resource: 'instances/proxy', name: 'eu' },
      ...question,
    })
  return { roleBindings, requests, locked, ending, explain }
}
type Explained = Awaited<ReturnType<ReturnType<typeof world>['explain']>>
/** The links of an explanation in words. */
export const steps = ({ links }: Explained) =>
  links.map(({ step, state, reason }) => `${step} ${state} ${reason}`)
