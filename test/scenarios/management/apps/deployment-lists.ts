import { describe, expect, it } from 'vitest'
import type { AppsService } from '../../../../proto/gen/kairship/apps_pb.js'
import type { ManagedWorld } from '../../support/managed-world.js'
import { namesOf, requestsTo } from '../requests.js'
import { deploymentsIn } from './deployments-in.js'

/** Lists of Deployments. */
export function deploymentListCases(world: ManagedWorld<typeof AppsService>): void {
  const { at } = requestsTo(world)
  const { create, run, state } = deploymentsIn(world)

  describe('a list of Deployments', () => {
    it('is filtered by a part of the name, paged, counted and sorted', async () => {
      for (const name of ['list-b', 'list-a', 'list-c']) await create(name, { replicas: 0 })
      const list = (more: object) => world.calls.read('listDeployments', { ...at(), name: 'list-', ...more })
      expect(namesOf(await list({}))).toEqual(['list-a', 'list-b', 'list-c'])
      expect(namesOf(await list({ sortBy: 'field_name', sortDir: 'desc' }))).toEqual([
        'list-c',
        'list-b',
        'list-a',
      ])
      const page = await list({ page: 2, pageSize: 2 })
      expect(namesOf(page)).toEqual(['list-c'])
      expect(page.pagination).toEqual({ total: 3, page: 2, pageSize: 2, pages: 2 })
    })

    it('filters by a state, counts it, and sorts by it', async () => {
      await run('state-running', { replicas: 2 })
      await create('state-waiting')
      await create('state-stopped', { replicas: 0 })
      const list = (more: object) =>
        world.calls.read('listInstanceDeployments', { instance: world.instance, name: 'state-', ...more })
      expect(namesOf(await list({ phase: 'WORKLOAD_STATE_RUNNING' }))).toEqual(['state-running'])
      const stopped = await list({ phase: 'WORKLOAD_STATE_STOPPED', pageSize: 1 })
      expect([namesOf(stopped), stopped.pagination.total]).toEqual([['state-stopped'], 1])
      const sorted = await list({ sortBy: 'state', sortDir: 'asc' })
      expect(namesOf(sorted)).toEqual(['state-running', 'state-stopped', 'state-waiting'])
      expect(namesOf(await list({ sortBy: 'state', sortDir: 'desc' }))).toEqual(namesOf(sorted).reverse())
    })

    it('does not report a workload as ready whose only cluster is down, and reports it again after that', async () => {
      const [, down = ''] = world.members
      await world.place('Deployment', 'island', {
        apiVersion: 'apps/v1',
        more: { placement: { clusterAffinity: { clusterNames: [down] } } },
      })
      await create('island', { replicas: 2 })
      await state('island', 'WORKLOAD_STATE_RUNNING')
      const restore = world.member(down).interrupt({ kind: 'refuseConnections' })
      try {
        const shown = await state('island', 'WORKLOAD_STATE_NOT_READY')
        expect(shown.status).toMatchObject({
          readyReplicas: 0,
          desiredReplicas: 2,
          clusters: [{ name: down, reachable: false, readyReplicas: 0, health: 'Unknown' }],
        })
      } finally {
        restore()
      }
      await state('island', 'WORKLOAD_STATE_RUNNING')
    })
  })
}
