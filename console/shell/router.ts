import { createRouter } from '@tanstack/react-router'
import { withKnownSearch } from './known-search.js'
import { accessRoutes } from './routes/access.js'
import { clusterRoutes } from './routes/clusters.js'
import { fleetRoutes } from './routes/fleet.js'
import { instance, instanceRoutes } from './routes/instance.js'
import { objectRoutes } from './routes/objects.js'
import { policyRoutes } from './routes/policies.js'
import { root, start } from './routes/root.js'
import { workloadRoutes } from './routes/workloads.js'

/** All routes. The address holds the whole view, so that a copied address shows the same. */
export const router = createRouter({
  routeTree: withKnownSearch(
    root.addChildren([
      start,
      ...fleetRoutes,
      instance.addChildren([
        ...instanceRoutes,
        ...clusterRoutes,
        ...workloadRoutes,
        ...objectRoutes,
        ...policyRoutes,
      ]),
      accessRoutes,
    ]),
  ),
  defaultPreload: 'intent',
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
