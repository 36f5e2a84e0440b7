import { expect, it } from 'vitest'
import { duplicateRefusal } from '../../../http/instances/duplicate.js'
import type { ShownInstance } from '../../../http/instances/instance-reading.js'
import type { InstanceView } from '../../../ports/fleet.js'
import { instanceNamed } from '../rpc/fleet/fake-fleet.js'

const [refused, accepted] = [true, false].map(is => instanceNamed('copy', is))
const refusal = { reason: 'DuplicateControlPlane', message: 'an older one leads to it' }
/** As its actor sees it, with the conditions of one Instance and the status of another. */
const seen = (now: typeof refused, stored: typeof refused) =>
  ({
    name: 'copy',
    instance: stored,
    state: 'registering',
    conditions: now?.status?.conditions,
  }) as InstanceView

it.each<[string, ShownInstance, object | undefined]>([
  ['as the host has it', { name: 'copy', instance: refused! }, refusal],
  ['as its actor has it now', seen(refused, accepted), refusal],
  ['no more, whatever its status still says', seen(accepted, refused), undefined],
  ['not for another reason', withReason('InvalidSpec'), undefined],
  ['not without a status', { name: 'copy', instance: { ...refused!, status: {} } }, undefined],
])('an Instance is a duplicate %s', (_, shown, expected) => {
  expect(duplicateRefusal(shown)).toEqual(expected)
})

function withReason(reason: string): ShownInstance {
  const conditions = refused!.status?.conditions?.map(one => ({ ...one, reason })) ?? []
  return { name: 'copy', instance: { ...refused!, status: { conditions } } }
}
