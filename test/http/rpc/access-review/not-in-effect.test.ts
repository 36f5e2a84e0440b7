import { expect, it } from 'vitest'
import { withCauseInside } from '../../../../http/rpc/access-review/not-in-effect.js'

type Arguments = Parameters<typeof withCauseInside>
const question = { instance: 'eu', namespace: 'shop' }
const links = [
  { step: 'Binding', state: 'Found', grants: [{ binding: { kind: 'InstanceRoleBinding', name: 'crew' } }] },
  { step: 'ControlPlane', state: 'Missing' },
] as unknown as Arguments[0]

/** What a role binding of which this is known gives. */
const given = (conditions: readonly object[], kind = 'InstanceRoleBinding') =>
  [
    {
      origin: {
        kind,
        object: { metadata: { name: 'crew' }, status: { conditions } },
      },
      spec: { role: 'Viewer' },
    },
  ] as unknown as Arguments[2]

const message = 'it was refused'
const condition = (status: string) => [{ type: 'Materialized', status, message }]

it('a role binding is a cause only where it is known that it is not in effect', () => {
  const found = withCauseInside(links, question, given(condition('False')))
  expect(found[0]).toMatchObject({ reason: 'NotInEffect' })
  for (const other of [condition('Unknown'), condition('True'), []])
    expect(withCauseInside(links, question, given(other))).toEqual(links)
})

it('a binding of another kind with its name is none, and neither is one that gives nothing', () => {
  const others = given(condition('False'), 'InstanceGroupRoleBinding')
  expect(withCauseInside(links, question, others)).toEqual(links)
  const missing = links.map(link => ({ ...link, state: 'Missing' })) as unknown as Arguments[0]
  expect(withCauseInside(missing, question, given(condition('False')))).toEqual(missing)
})
