import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { listSearch } from '../../parts/list-search.js'
import { instance } from './instance.js'

const clusters = createRoute({
  getParentRoute: () => instance,
  path: 'clusters',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../../clusters/clusters-screen.js'), 'ClustersScreen'),
})

const cluster = createRoute({
  getParentRoute: () => instance,
  path: 'clusters/$cluster',
  component: lazyRouteComponent(() => import('../../clusters/cluster-screen.js'), 'ClusterScreen'),
})

const joinCluster = createRoute({
  getParentRoute: () => instance,
  path: 'join-cluster',
  component: lazyRouteComponent(() => import('../../clusters/join-screen.js'), 'JoinScreen'),
})

/** The member clusters of an instance. */
export const clusterRoutes = [clusters, cluster, joinCluster]
