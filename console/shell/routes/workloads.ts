import { createRoute } from '@tanstack/react-router'
import { isWorkloadKind, type WorkloadKind } from '../../kube/workload-kinds.js'
import { logSearch } from '../../logs/log-search.js'
import { isPromotedKind, type PromotedKind } from '../../promote/promoted-kind.js'
import { editSearch, type ListSearch, listSearch } from '../../tables/list-search.js'
import { terminalSearch } from '../../terminal/terminal-search.js'
import { instance } from './instance.js'
import { screen } from './screen.js'

const workloads = createRoute({
  getParentRoute: () => instance,
  path: 'workloads',
  validateSearch: (search: Record<string, unknown>): ListSearch & { readonly kind?: WorkloadKind } => ({
    ...listSearch(search),
    ...(isWorkloadKind(search.kind) && { kind: search.kind }),
  }),
  component: screen(() => import('../../workloads/workloads-screen.js'), 'WorkloadsScreen'),
})

const newWorkload = createRoute({
  getParentRoute: () => instance,
  path: 'workloads/new',
  validateSearch: ({ kind, namespace }: Record<string, unknown>) => ({
    ...(isWorkloadKind(kind) && { kind }),
    ...(typeof namespace === 'string' && namespace !== '' && { namespace }),
  }),
  component: screen(() => import('../../workloads/create/create-screen.js'), 'CreateWorkloadScreen'),
})

const workload = createRoute({
  getParentRoute: () => instance,
  path: 'workloads/$kind/$namespace/$workload',
  validateSearch: editSearch,
  component: screen(() => import('../../workloads/workload-screen.js'), 'WorkloadScreen'),
})

const logs = createRoute({
  getParentRoute: () => instance,
  path: 'workloads/$kind/$namespace/$workload/logs',
  validateSearch: logSearch,
  component: screen(() => import('../../logs/logs-screen.js'), 'LogsScreen'),
})

const terminal = createRoute({
  getParentRoute: () => instance,
  path: 'terminal',
  validateSearch: terminalSearch,
  component: screen(() => import('../../terminal/terminal-screen.js'), 'TerminalScreen'),
})

/** Search parameters of a member's own objects. */
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
  component: screen(() => import('../../promote/promote-screen.js'), 'PromoteScreen'),
})

/** Screens about workloads of an instance: lists, logs, terminals, and promotion from members. */
export const workloadRoutes = [workloads, newWorkload, workload, logs, terminal, promote]
