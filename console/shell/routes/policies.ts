import { createRoute } from '@tanstack/react-router'
import { isPolicyKind, type PolicyKind } from '../../policies/policy-kinds.js'
import { rehearsalSearch } from '../../rehearse/rehearsal-search.js'
import { type ListSearch, listSearch } from '../../tables/list-search.js'
import { instance } from './instance.js'
import { screen } from './screen.js'

const policies = createRoute({
  getParentRoute: () => instance,
  path: 'policies',
  validateSearch: (search: Record<string, unknown>): ListSearch & { readonly kind?: PolicyKind } => ({
    ...listSearch(search),
    ...(isPolicyKind(search.kind) && { kind: search.kind }),
  }),
  component: screen(() => import('../../policies/policies-screen.js'), 'PoliciesScreen'),
})

const newPolicy = createRoute({
  getParentRoute: () => instance,
  path: 'policies/$kind/new',
  validateSearch: ({ namespace }: Record<string, unknown>): { readonly namespace?: string } =>
    typeof namespace === 'string' && namespace !== '' ? { namespace } : {},
  component: screen(() => import('../../policies/policy-edit-screen.js'), 'PolicyCreateScreen'),
})

const policy = createRoute({
  getParentRoute: () => instance,
  path: 'policies/$kind/$namespace/$policy',
  component: screen(() => import('../../policies/policy-screen.js'), 'PolicyScreen'),
})

const editedPolicy = createRoute({
  getParentRoute: () => instance,
  path: 'policies/$kind/$namespace/$policy/edit',
  component: screen(() => import('../../policies/policy-edit-screen.js'), 'PolicyEditScreen'),
})

const rehearse = createRoute({
  getParentRoute: () => instance,
  path: 'rehearse',
  validateSearch: rehearsalSearch,
  component: screen(() => import('../../rehearse/rehearse-screen.js'), 'RehearseScreen'),
})

/** Screens about policies of an instance and their effects. */
export const policyRoutes = [policies, newPolicy, policy, editedPolicy, rehearse]
