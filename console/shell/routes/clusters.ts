import { createRoute } from '@tanstack/react-router'
import { listSearch } from '../../tables/list-search.js'
import { instance } from './instance.js'
import { screen } from './screen.js'

const clusters = createRoute({
  getParentRoute: () => instance,
  path: 'clusters',
  validateSearch: listSearch,
  component: screen(() => import('../../clusters/clusters-screen.js'), 'ClustersScreen'),
})

const cluster = createRoute({
  getParentRoute: () => instance,
  path: 'clusters/$cluster',
  component: screen(() => import('../../clusters/cluster-screen.js'), 'ClusterScreen'),
})

const joinCluster = createRoute({
  getParentRoute: () => instance,
  path: 'join-cluster',
  component: screen(() => import('../../clusters/join-screen.js'), 'JoinScreen'),
})

/** Screens about the member clusters of an instance. */
export const clusterRoutes = [clusters, cluster, joinCluster]
