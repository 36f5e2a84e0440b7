import { createRoute } from '@tanstack/react-router'
import { fleetEventSearch } from '../../events/event-search.js'
import { FleetScreen } from '../../fleet/fleet-screen.js'
import { isSort, type Sort } from '../../tables/sort.js'
import { root } from './root.js'
import { screen } from './screen.js'

/** Search parameters of the fleet. */
export interface FleetSearch {
  readonly name?: string
  readonly view?: 'table'
  readonly page?: number
  /** Only instances that need attention. */
  readonly attention?: true
  readonly sort?: Sort
}

const fleet = createRoute({
  getParentRoute: () => root,
  path: '/instances',
  validateSearch: ({ name, view, page, attention, sort }: Record<string, unknown>): FleetSearch => ({
    ...(typeof name === 'string' && name !== '' && { name }),
    ...(view === 'table' && { view }),
    ...(isSort(sort) && { sort }),
    ...(attention === true && { attention }),
    ...(Number.isInteger(page) && (page as number) > 1 && { page: page as number }),
  }),
  // Part of the first script and not lazy: sign-in links open this screen, and a chunk would need a second round of requests.
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

/** Search parameters of a comparison. */
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

/** Screens about the whole fleet. */
export const fleetRoutes = [fleet, fleetEvents, newInstance, compare]
