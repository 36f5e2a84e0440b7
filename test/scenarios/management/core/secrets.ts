import { describe, expect, it } from 'vitest'
import type { CoreService } from '../../../../proto/gen/kairship/core_pb.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'
import { data, object, requestsTo } from '../requests.js'

/** Secrets of an instance and its members. */
export function secretCases(world: ManagedWorld<typeof CoreService>): void {
  const { at, named, whole } = requestsTo(world)

  describe('a Secret of an instance', () => {
    const canary = 'c4n4ry-value'

    it('has its values in a get, and in no list, log or audit record', async () => {
      const stored = await world.calls.rest('createSecret', {
        ...at(),
        data: data(
          object(
            'Secret',
            'canary',
            { stringData: { password: canary } },
            {
              annotations: { 'kubectl.kubernetes.io/last-applied-configuration': data({ password: canary }) },
            },
          ),
        ),
      })
      expect(JSON.parse(stored.data).data.password).toBe(base64(canary))
      expect(await world.calls.read('getSecret', named('canary'))).toMatchObject({
        type: 'Opaque',
        data: { password: base64(canary) },
        stringData: {},
      })
      const json = JSON.parse((await world.calls.read('getSecretJSON', named('canary'))).data)
      expect(json.data.password).toBe(base64(canary))
      for (const rpc of ['listSecrets', 'listInstanceSecrets'] as const) {
        const list = await world.calls.read(rpc, {
          ...(rpc === 'listSecrets' ? at() : whole()),
          name: 'canary',
        })
        expect(list.items).toMatchObject([{ metadata: { name: 'canary' }, data: { password: '' } }])
        expect(JSON.stringify(list)).not.toMatch(new RegExp(`${canary}|${base64(canary)}`))
      }
      const patched = await world.calls.rest('patchSecret', {
        ...named('canary'),
        data: { user: base64('me') },
      })
      expect(Object.keys(JSON.parse(patched.data).data).sort()).toEqual(['password', 'user'])
      const wrong = await world.calls.both('patchSecret', {
        ...named('canary'),
        data: { user: `${canary}!` },
      })
      expect(wrong).toMatchObject({ ok: false, json: { code: 3 } })
      expect(wrong.text).not.toContain(canary)
      const logged = JSON.stringify(world.log(), (_, value) =>
        typeof value === 'bigint' ? String(value) : value,
      )
      expect(logged).not.toMatch(new RegExp(`${canary}|${base64(canary)}`))
      expect(logged).toContain('CreateSecret')
    })

    it('has no values in the list of a member', async () => {
      const [cluster = ''] = world.members
      await world.create(
        world.member(cluster).local,
        TYPES.secrets,
        object('Secret', 'canary', { stringData: { password: canary } }),
      )
      const list = await world.calls.read('listSecretsForMemberCluster', { ...at(), cluster, name: 'canary' })
      expect(list.items).toMatchObject([{ metadata: { name: 'canary', cluster }, data: { password: '' } }])
      expect(JSON.stringify(list)).not.toMatch(new RegExp(`${canary}|${base64(canary)}`))
    })

    it('is replaced and deleted, and refused to callers that may only read workloads', async () => {
      const read = JSON.parse((await world.calls.read('getSecretJSON', named('canary'))).data)
      const replaced = await world.calls.rest('updateSecret', {
        ...named('canary'),
        data: data({ ...read, data: {} }),
      })
      expect(JSON.parse(replaced.data).data ?? {}).toEqual({})
      expect((await world.viewer.both('getSecret', named('canary'))).json.code).toBe(7)
      expect((await world.viewer.both('listSecrets', at())).json.code).toBe(7)
      expect(await world.calls.rest('deleteSecret', named('canary'))).toEqual({})
    })
  })
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
