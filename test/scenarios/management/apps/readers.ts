import { describe, expect, it } from 'vitest'
import type { AppsService } from '../../../../proto/gen/kairship/apps_pb.js'
import type { ManagedWorld } from '../../support/managed-world.js'
import { namesOf, requestsTo } from '../requests.js'
import { deployment, deploymentsIn } from './deployments-in.js'

/** What somebody who may only read can do with Deployments. */
export function deploymentReaderCases(world: ManagedWorld<typeof AppsService>): void {
  const { at, named } = requestsTo(world)
  const { create } = deploymentsIn(world)

  describe('a caller who may only read Deployments', () => {
    it('reads Deployments, and is refused every change', async () => {
      await create('guarded', { replicas: 2 })
      expect(namesOf(await world.viewer.read('listDeployments', { ...at(), name: 'guarded' }))).toEqual([
        'guarded',
      ])
      for (const [rpc, more] of [
        ['createDeployment', { data: JSON.stringify(deployment('refused')) }],
        ['updateDeployment', { name: 'guarded', data: JSON.stringify(deployment('guarded')) }],
        ['patchDeployment', { name: 'guarded', data: '{"spec":{"replicas":9}}' }],
        ['pauseDeployment', { name: 'guarded' }],
        ['restartDeployment', { name: 'guarded' }],
        ['deleteDeployment', { name: 'guarded' }],
      ] as const)
        expect(await world.viewer.both(rpc, { ...at(), ...more }), rpc).toMatchObject({
          ok: false,
          json: { code: 7 },
        })
      expect((await world.calls.read('getDeployment', named('guarded'))).spec).toMatchObject({
        replicas: 2,
        paused: false,
      })
    })
  })
}
