import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import type { OutcomeName } from '../access/audit-screen.js'
import { checkSearch } from '../access/check-search.js'
import type { BindingKind } from '../access/sources.js'
import { eventSearch, fleetEventSearch } from '../events/event-search.js'
import { logSearch } from '../logs/log-search.js'
import { editSearch, type ListSearch, listSearch } from '../parts/list-search.js'
import { isPolicyKind, type PolicyKind } from '../policies/policy-kinds.js'
import { isPromotedKind, type PromotedKind } from '../promote/promoted-kind.js'
import { thoughtIn } from '../rehearse/thought.js'
import { terminalSearch } from '../terminal/terminal-search.js'
import { isWorkloadKind, type WorkloadKind } from '../workloads/workload.js'
import { Frame } from './frame.js'
import { NotFound } from './not-found.js'

/** What the address of the fleet says. */
export interface FleetSearch {
  readonly name?: string
  readonly view?: 'table'
  readonly page?: number
}

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound })

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/instances', replace: true })
  },
})

const fleet = createRoute({
  getParentRoute: () => root,
  path: '/instances',
  validateSearch: ({ name, view, page }: Record<string, unknown>): FleetSearch => ({
    ...(typeof name === 'string' && name !== '' && { name }),
    ...(view === 'table' && { view }),
    ...(Number.isInteger(page) && (page as number) > 1 && { page: page as number }),
  }),
  component: lazyRouteComponent(() => import('../fleet/fleet-screen.js'), 'FleetScreen'),
})

const instance = createRoute({
  getParentRoute: () => root,
  path: '/instances/$name',
  component: lazyRouteComponent(() => import('../instance/instance-frame.js'), 'InstanceFrame'),
})

const overview = createRoute({
  getParentRoute: () => instance,
  path: '/',
  component: lazyRouteComponent(() => import('../instance/instance-screen.js'), 'InstanceScreen'),
})

const clusters = createRoute({
  getParentRoute: () => instance,
  path: 'clusters',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../clusters/clusters-screen.js'), 'ClustersScreen'),
})

const cluster = createRoute({
  getParentRoute: () => instance,
  path: 'clusters/$cluster',
  component: lazyRouteComponent(() => import('../clusters/cluster-screen.js'), 'ClusterScreen'),
})

const joinCluster = createRoute({
  getParentRoute: () => instance,
  path: 'join-cluster',
  component: lazyRouteComponent(() => import('../clusters/join-screen.js'), 'JoinScreen'),
})

const workloads = createRoute({
  getParentRoute: () => instance,
  path: 'workloads',
  validateSearch: (search: Record<string, unknown>): ListSearch & { readonly kind?: WorkloadKind } => ({
    ...listSearch(search),
    ...(isWorkloadKind(search.kind) && { kind: search.kind }),
  }),
  component: lazyRouteComponent(() => import('../workloads/workloads-screen.js'), 'WorkloadsScreen'),
})

const workload = createRoute({
  getParentRoute: () => instance,
  path: 'workloads/$kind/$namespace/$workload',
  validateSearch: editSearch,
  component: lazyRouteComponent(() => import('../workloads/workload-screen.js'), 'WorkloadScreen'),
})

const logs = createRoute({
  getParentRoute: () => instance,
  path: 'workloads/$kind/$namespace/$workload/logs',
  validateSearch: logSearch,
  component: lazyRouteComponent(() => import('../logs/logs-screen.js'), 'LogsScreen'),
})

const terminal = createRoute({
  getParentRoute: () => instance,
  path: 'terminal',
  validateSearch: terminalSearch,
  component: lazyRouteComponent(() => import('../terminal/terminal-screen.js'), 'TerminalScreen'),
})

const events = createRoute({
  getParentRoute: () => instance,
  path: 'events',
  validateSearch: eventSearch,
  component: lazyRouteComponent(() => import('../events/events-screen.js'), 'EventsScreen'),
})

const reads = createRoute({
  getParentRoute: () => instance,
  path: 'reads',
  component: lazyRouteComponent(() => import('../activity/activity-screen.js'), 'ActivityScreen'),
})

const settings = createRoute({
  getParentRoute: () => instance,
  path: 'settings',
  component: lazyRouteComponent(() => import('../settings/settings-screen.js'), 'SettingsScreen'),
})

const newInstance = createRoute({
  getParentRoute: () => root,
  path: '/new-instance',
  component: lazyRouteComponent(() => import('../create/create-screen.js'), 'CreateScreen'),
})

const fleetEvents = createRoute({
  getParentRoute: () => root,
  path: '/events',
  validateSearch: fleetEventSearch,
  component: lazyRouteComponent(() => import('../events/fleet-events-screen.js'), 'FleetEventsScreen'),
})

const policies = createRoute({
  getParentRoute: () => instance,
  path: 'policies',
  validateSearch: (search: Record<string, unknown>): ListSearch & { readonly kind?: PolicyKind } => ({
    ...listSearch(search),
    ...(isPolicyKind(search.kind) && { kind: search.kind }),
  }),
  component: lazyRouteComponent(() => import('../policies/policies-screen.js'), 'PoliciesScreen'),
})

const newPolicy = createRoute({
  getParentRoute: () => instance,
  path: 'policies/$kind/new',
  validateSearch: ({ namespace }: Record<string, unknown>): { readonly namespace?: string } =>
    typeof namespace === 'string' && namespace !== '' ? { namespace } : {},
  component: lazyRouteComponent(() => import('../policies/policy-edit-screen.js'), 'PolicyCreateScreen'),
})

const policy = createRoute({
  getParentRoute: () => instance,
  path: 'policies/$kind/$namespace/$policy',
  component: lazyRouteComponent(() => import('../policies/policy-screen.js'), 'PolicyScreen'),
})

const editedPolicy = createRoute({
  getParentRoute: () => instance,
  path: 'policies/$kind/$namespace/$policy/edit',
  component: lazyRouteComponent(() => import('../policies/policy-edit-screen.js'), 'PolicyEditScreen'),
})

const rehearse = createRoute({
  getParentRoute: () => instance,
  path: 'rehearse',
  validateSearch: thoughtIn,
  component: lazyRouteComponent(() => import('../rehearse/rehearse-screen.js'), 'RehearseScreen'),
})

/** What the address of a member's own objects says. */
interface PromoteSearch extends ListSearch {
  readonly cluster?: string
  readonly kind?: PromotedKind
  readonly page?: number
}

const promote = createRoute({
  getParentRoute: () => instance,
  path: 'promote',
  validateSearch: (search: Record<string, unknown>): PromoteSearch => ({
    ...listSearch(search),
    ...(Number.isInteger(search.page) && (search.page as number) > 1 && { page: search.page as number }),
    ...(typeof search.cluster === 'string' && { cluster: search.cluster }),
    ...(isPromotedKind(search.kind) && { kind: search.kind }),
  }),
  component: lazyRouteComponent(() => import('../promote/promote-screen.js'), 'PromoteScreen'),
})

/** What the address of a comparison says. */
type CompareSearch = Partial<Record<'left' | 'right' | 'type' | 'namespace' | 'object', string>>

const compare = createRoute({
  getParentRoute: () => root,
  path: '/compare',
  validateSearch: (search: Record<string, unknown>): CompareSearch =>
    Object.fromEntries(
      (['left', 'right', 'type', 'namespace', 'object'] as const)
        .map(name => [name, search[name]] as const)
        .filter(([, value]) => typeof value === 'string' && value !== ''),
    ),
  component: lazyRouteComponent(() => import('../compare/compare-screen.js'), 'CompareScreen'),
})

const check = createRoute({
  getParentRoute: () => instance,
  path: 'access',
  validateSearch: checkSearch,
  component: lazyRouteComponent(() => import('../access/check-screen.js'), 'CheckScreen'),
})

const access = createRoute({
  getParentRoute: () => root,
  path: '/access',
  component: lazyRouteComponent(() => import('../access/access-frame.js'), 'AccessFrame'),
})

const account = createRoute({
  getParentRoute: () => access,
  path: '/',
  component: lazyRouteComponent(() => import('../access/account-screen.js'), 'AccountScreen'),
})

const roles = createRoute({
  getParentRoute: () => access,
  path: 'roles',
  validateSearch: (search: Record<string, unknown>): ListSearch & { readonly kind?: BindingKind } => ({
    ...listSearch(search),
    ...(search.kind === 'workspaces' && { kind: search.kind }),
  }),
  component: lazyRouteComponent(() => import('../access/roles-screen.js'), 'RolesScreen'),
})

const workspaces = createRoute({
  getParentRoute: () => access,
  path: 'workspaces',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../access/workspaces-screen.js'), 'WorkspacesScreen'),
})

const locks = createRoute({
  getParentRoute: () => access,
  path: 'locks',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../access/locks-screen.js'), 'LocksScreen'),
})

/** What the address of the audit events says. */
interface AuditSearch extends ListSearch {
  readonly user?: string
  readonly instance?: string
  readonly outcome?: OutcomeName
}

const OUTCOMES: readonly unknown[] = ['SUCCEEDED', 'DENIED', 'FAILED', 'UNKNOWN'] satisfies OutcomeName[]

const audit = createRoute({
  getParentRoute: () => access,
  path: 'audit',
  validateSearch: ({ user, instance, outcome, ...search }: Record<string, unknown>): AuditSearch => ({
    ...listSearch(search),
    ...(typeof user === 'string' && user !== '' && { user }),
    ...(typeof instance === 'string' && instance !== '' && { instance }),
    ...(OUTCOMES.includes(outcome) && { outcome: outcome as OutcomeName }),
  }),
  component: lazyRouteComponent(() => import('../access/audit-screen.js'), 'AuditScreen'),
})

const newWorkload = createRoute({
  getParentRoute: () => instance,
  path: 'workloads/new',
  validateSearch: ({ kind, namespace }: Record<string, unknown>) => ({
    ...(isWorkloadKind(kind) && { kind }),
    ...(typeof namespace === 'string' && namespace !== '' && { namespace }),
  }),
  component: lazyRouteComponent(() => import('../workloads/create/create-screen.js'), 'CreateWorkloadScreen'),
})

const objectsStart = createRoute({
  getParentRoute: () => instance,
  path: 'objects',
  beforeLoad: ({ params }) => {
    throw redirect({
      to: '/instances/$name/objects/$kind',
      params: { ...params, kind: 'services' },
      replace: true,
    } as never)
  },
})

const objects = createRoute({
  getParentRoute: () => instance,
  path: 'objects/$kind',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../objects/objects-screen.js'), 'ObjectsScreen'),
})

const newObject = createRoute({
  getParentRoute: () => instance,
  path: 'objects/$kind/new',
  validateSearch: ({ namespace }: Record<string, unknown>) => ({
    ...(typeof namespace === 'string' && namespace !== '' && { namespace }),
  }),
  component: lazyRouteComponent(() => import('../objects/create-screen.js'), 'CreateObjectScreen'),
})

const object = createRoute({
  getParentRoute: () => instance,
  path: 'objects/$kind/$namespace/$object',
  validateSearch: editSearch,
  component: lazyRouteComponent(() => import('../objects/object-screen.js'), 'ObjectScreen'),
})

/** Every view has an address: whoever opens a copied one sees the same. */
export const router = createRouter({
  routeTree: root.addChildren([
    start,
    fleet,
    fleetEvents,
    newInstance,
    compare,
    instance.addChildren([
      ...[overview, clusters, cluster, joinCluster, workloads, workload, logs, terminal],
      ...[events, reads, settings],
      ...[policies, newPolicy, policy, editedPolicy, rehearse, promote, check],
      ...[newWorkload, objectsStart, objects, newObject, object],
    ]),
    access.addChildren([account, roles, workspaces, locks, audit]),
  ]),
  defaultPreload: 'intent',
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
