import { describe, expect, it } from 'vitest'
import type { AppsService } from '../../../../proto/gen/kairship/apps_pb.js'
import type { ManagedWorld } from '../../support/managed-world.js'
import { data, namesOf, requestsTo } from '../requests.js'
import { deployment } from './deployments-in.js'

/** Requests about Deployments that are refused. */
export function wrongDeploymentRequestCases(world: ManagedWorld<typeof AppsService>): void {
  const { at, named } = requestsTo(world)

  describe('a wrong request about Deployments', () => {
    const bad: [string, string, number, RegExp][] = [
      ['malformed YAML', 'a: b: c', 3, /neither JSON nor YAML/],
      ['nothing', '', 3, /data/],
      ['text', '"deployment"', 3, /is not an object/],
      ['several documents', `${data(deployment('a'))}\n---\n${data(deployment('b'))}`, 3, /exactly one/],
      ['another kind', data({ ...deployment('a'), kind: 'StatefulSet' }), 3, /must be "Deployment"/],
      ['another version', data({ ...deployment('a'), apiVersion: 'apps/v1beta1' }), 3, /must be "apps\/v1"/],
      ['no name', data({ ...deployment('a'), metadata: {} }), 3, /metadata\.name/],
      ['a name that is none', data(deployment('Not_A_Name')), 3, /metadata\.name/],
      ['what its type does not have', data(deployment('a', { replica: 1 })), 3, /replica/],
      ['a spec that is refused', data(deployment('a', { replicas: -1 })), 3, /data\.spec\.replicas/],
    ]
    it.each(bad)('is refused on create: %s', async (_, manifest, code, message) => {
      const refused = await world.calls.both('createDeployment', { ...at(), data: manifest })
      expect(refused).toMatchObject({ ok: false, json: { code } })
      expect(refused.text).toMatch(message)
    })

    it('is refused on update when the manifest has another name', async () => {
      const refused = await world.calls.both('updateDeployment', {
        ...named('web'),
        data: data(deployment('other')),
      })
      expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
      expect(refused.json.message).toContain('metadata.name')
    })

    it('is refused when the manifest is larger than any object', async () => {
      const big = deployment('big', {}, { annotations: { big: 'x'.repeat(3 << 20) } })
      expect(await world.calls.overRest('createDeployment', { ...at(), data: data(big) })).toMatchObject({
        ok: false,
        json: { code: 3, message: 'the body is larger than 3145728 bytes' },
      })
    })

    it.each([
      ['a phase that there is not', { phase: 'running' }, /WORKLOAD_STATE_RUNNING/],
      ['a page before the first', { page: -1 }, /pages count from 1/],
      ['a size that is none', { pageSize: -2 }, /pageSize/],
    ])('is refused on list: %s', async (_, more, message) => {
      const refused = await world.calls.both('listDeployments', { ...at(), ...more })
      expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
      expect(refused.json.message).toMatch(message)
    })

    it.each(['../secrets', '..', '%2e%2e', 'a/b', 'web?x=1', 'ü'])(
      'reaches no other path with the name %s',
      async name => {
        const refused = await world.calls.overRest('getDeployment', named(name))
        expect(refused.ok).toBe(false)
        expect([3, 5]).toContain(refused.json.code)
      },
    )

    it('with a hostile name finds no object, and does not fail', async () => {
      for (const name of ["'; DROP TABLE resources; --", '%', '\\', '*', 'metadata.name=web'])
        expect(namesOf(await world.calls.read('listDeployments', { ...at(), name }))).toEqual([])
    })
  })
}
