import { expect, it } from 'vitest'
import { withCauseInside } from '../../../../http/rpc/access-review/not-in-effect.js'

type Of = Parameters<typeof withCauseInside>
const question = { instance: 'eu', namespace: 'shop' }
const links = [
  { step: 'Binding', state: 'Found', grants: [{ binding: { kind: 'InstanceRoleBinding', name: 'crew' } }] },
  { step: 'ControlPlane', state: 'Missing' },
] as unknown as Of[0]

/** What a role binding of which this is known gives. */
const given = (...conditions: object[]) =>
  [
    {
      origin: {
        kind: 'InstanceRoleBinding',
        object: { metadata: { name: 'crew' }, status: { conditions } },
      },
      spec: { role: 'Viewer' },
    },
  ] as unknown as Of[2]

it('a role binding is a cause only where it is known that it is not in effect', () => {
  const message = 'it was refused'
  const condition = (status: string) => given({ type: 'Materialized', status, message })
  expect(withCauseInside(links, question, condition('False'))[0]).toMatchObject({ reason: 'NotInEffect' })
  for (const other of [condition('Unknown'), condition('True'), given()])
    expect(withCauseInside(links, question, other)).toEqual(links)
})
