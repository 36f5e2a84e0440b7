import { createRoute } from '@tanstack/react-router'
import type { OutcomeName } from '../../access/audit-screen.js'
import type { BindingKind } from '../../access/sources.js'
import { type ListSearch, listSearch } from '../../tables/list-search.js'
import { root } from './root.js'
import { screen } from './screen.js'

const access = createRoute({
  getParentRoute: () => root,
  path: '/access',
  component: screen(() => import('../../access/access-frame.js'), 'AccessFrame'),
})

const account = createRoute({
  getParentRoute: () => access,
  path: '/',
  component: screen(() => import('../../access/account-screen.js'), 'AccountScreen'),
})

const roles = createRoute({
  getParentRoute: () => access,
  path: 'roles',
  validateSearch: (search: Record<string, unknown>): ListSearch & { readonly kind?: BindingKind } => ({
    ...listSearch(search),
    ...(search.kind === 'workspaces' && { kind: search.kind }),
  }),
  component: screen(() => import('../../access/roles-screen.js'), 'RolesScreen'),
})

const workspaces = createRoute({
  getParentRoute: () => access,
  path: 'workspaces',
  validateSearch: listSearch,
  component: screen(() => import('../../access/workspaces-screen.js'), 'WorkspacesScreen'),
})

const locks = createRoute({
  getParentRoute: () => access,
  path: 'locks',
  validateSearch: listSearch,
  component: screen(() => import('../../access/locks-screen.js'), 'LocksScreen'),
})

/** Search parameters of the audit events. */
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
  component: screen(() => import('../../access/audit-screen.js'), 'AuditScreen'),
})

/** Screens about access in the whole fleet. */
export const accessRoutes = access.addChildren([account, roles, workspaces, locks, audit])
