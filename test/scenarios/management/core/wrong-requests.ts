import { describe, expect, it } from 'vitest'
import type { CoreService } from '../../../../proto/gen/kairship/core_pb.js'
import type { ManagedWorld } from '../../support/managed-world.js'
import { data, object, requestsTo } from '../requests.js'

/** Requests about the core group that are refused. */
export function wrongCoreRequestCases(world: ManagedWorld<typeof CoreService>): void {
  const { at, whole } = requestsTo(world)

  describe('a wrong request about the core group', () => {
    it.each([
      ['malformed YAML', 'a: b: c', /neither JSON nor YAML/],
      ['several documents', 'kind: ConfigMap\n---\nkind: ConfigMap\n', /exactly one/],
      ['another kind', data(object('Secret', 'a')), /must be "ConfigMap"/],
      ['values that are none', data(object('ConfigMap', 'a', { data: { a: 1 } })), /data/],
      ['a key that is none', data(object('ConfigMap', 'a', { data: { 'a/b': '1' } })), /data\.data/],
    ])('is refused on create: %s', async (_, manifest, message) => {
      const refused = await world.calls.both('createConfigMap', { ...at(), data: manifest })
      expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
      expect(refused.text).toMatch(message)
    })

    it.each([
      [1.25, 'data.[]', 'Too long: may not be more than 1048576 bytes'],
      [2, 'data', 'is larger than 2 MiB, more than is stored of any object'],
    ])(
      'is refused when the manifest is larger than any object: %d MiB',
      async (mebibytes, field, problem) => {
        const big = object('ConfigMap', 'big', { data: { big: 'x'.repeat(mebibytes * 2 ** 20) } })
        const refused = await world.calls.both('createConfigMap', { ...at(), data: data(big) })
        expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
        expect(refused.text).toContain(`${field} ${problem}`)
      },
    )

    it.each([
      [{ labelSelector: 'a in (' }],
      [{ labelSelector: 'a=b;c' }],
      [{ labelSelector: `${'a'.repeat(300)}=b` }],
      [{ fieldSelector: 'data.password=x' }],
      [{ fieldSelector: 'metadata.name=a=b' }],
    ])('is refused on list: %j', async more => {
      const refused = await world.calls.both('listInstanceSecrets', { ...whole(), ...more })
      expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
    })

    it('is refused for a missing instance and a missing member', async () => {
      expect((await world.calls.both('listNamespaces', { instance: 'nowhere' })).json.code).toBe(5)
      expect(
        (await world.calls.both('listSecretsForMemberCluster', { ...at(), cluster: 'nowhere' })).json.code,
      ).toBe(5)
    })
  })
}
