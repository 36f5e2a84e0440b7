import { createRoute } from '@tanstack/react-router'
import { fleetEventSearch } from '../../events/event-search.js'
import { FleetScreen } from '../../fleet/fleet-screen.js'
import { root } from './root.js'
import { screen } from './screen.js'

/** What the address of the fleet says. */
export interface FleetSearch {
  readonly name?: string
  readonly view?: 'table'
  readonly page?: number
}

const fleet = createRoute({
  getParentRoute: () => root,
  path: '/instances',
  validateSearch: ({ name, view, page }: Record<string, unknown>): FleetSearch => ({
    ...(typeof name === 'string' && name !== '' && { name }),
    ...(view === 'table' && { view }),
    ...(Number.isInteger(page) && (page as number) > 1 && { page: page as number }),
  }),
  // The screen of the sign-in link: part of the first script, so that no second round of requests is needed.
  component: FleetScreen,
})

const fleetEvents = createRoute({
  getParentRoute: () => root,
  path: '/events',
  validateSearch: fleetEventSearch,
  component: screen(() => import('../../events/fleet-events-screen.js'), 'FleetEventsScreen'),
})

const newInstance = createRoute({
  getParentRoute: () => root,
  path: '/new-instance',
  component: screen(() => import('../../create/create-screen.js'), 'CreateScreen'),
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
  component: screen(() => import('../../compare/compare-screen.js'), 'CompareScreen'),
})

/** What is of the whole fleet. */
export const fleetRoutes = [fleet, fleetEvents, newInstance, compare]
