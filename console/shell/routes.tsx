import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
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
  component: lazyRouteComponent(() => import('../instance/instance-screen.js'), 'InstanceScreen'),
})

/** Every view has an address: whoever opens a copied one sees the same. */
export const router = createRouter({
  routeTree: root.addChildren([start, fleet, instance]),
  defaultPreload: 'intent',
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
