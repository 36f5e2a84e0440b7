import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { checkSearch } from '../../access/check-search.js'
import { eventSearch } from '../../events/event-search.js'
import { root } from './root.js'

export const instance = createRoute({
  getParentRoute: () => root,
  path: '/instances/$name',
  component: lazyRouteComponent(() => import('../../instance/instance-frame.js'), 'InstanceFrame'),
})

const overview = createRoute({
  getParentRoute: () => instance,
  path: '/',
  component: lazyRouteComponent(() => import('../../instance/instance-screen.js'), 'InstanceScreen'),
})

const events = createRoute({
  getParentRoute: () => instance,
  path: 'events',
  validateSearch: eventSearch,
  component: lazyRouteComponent(() => import('../../events/events-screen.js'), 'EventsScreen'),
})

const reads = createRoute({
  getParentRoute: () => instance,
  path: 'reads',
  component: lazyRouteComponent(() => import('../../activity/activity-screen.js'), 'ActivityScreen'),
})

const settings = createRoute({
  getParentRoute: () => instance,
  path: 'settings',
  component: lazyRouteComponent(() => import('../../settings/settings-screen.js'), 'SettingsScreen'),
})

const check = createRoute({
  getParentRoute: () => instance,
  path: 'access',
  validateSearch: checkSearch,
  component: lazyRouteComponent(() => import('../../access/check-screen.js'), 'CheckScreen'),
})

/** What is of an instance itself. */
export const instanceRoutes = [overview, events, reads, settings, check]
