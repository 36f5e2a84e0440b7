import { createRoute } from '@tanstack/react-router'
import { checkSearch } from '../../access/check-search.js'
import { eventSearch } from '../../events/event-search.js'
import { root } from './root.js'
import { screen } from './screen.js'

export const instance = createRoute({
  getParentRoute: () => root,
  path: '/instances/$name',
  component: screen(() => import('../../instance/instance-frame.js'), 'InstanceFrame'),
})

const overview = createRoute({
  getParentRoute: () => instance,
  path: '/',
  component: screen(() => import('../../instance/instance-screen.js'), 'InstanceScreen'),
})

const events = createRoute({
  getParentRoute: () => instance,
  path: 'events',
  validateSearch: eventSearch,
  component: screen(() => import('../../events/events-screen.js'), 'EventsScreen'),
})

const reads = createRoute({
  getParentRoute: () => instance,
  path: 'reads',
  component: screen(() => import('../../activity/activity-screen.js'), 'ActivityScreen'),
})

const settings = createRoute({
  getParentRoute: () => instance,
  path: 'settings',
  component: screen(() => import('../../settings/settings-screen.js'), 'SettingsScreen'),
})

const check = createRoute({
  getParentRoute: () => instance,
  path: 'access',
  validateSearch: checkSearch,
  component: screen(() => import('../../access/check-screen.js'), 'CheckScreen'),
})

/** Screens about an instance itself. */
export const instanceRoutes = [overview, events, reads, settings, check]
