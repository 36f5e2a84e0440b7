import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { requireFields } from '../../../http/operation/required-fields.js'
import { ListFleetObjectsRequestSchema } from '../../../proto/gen/kairship/fleet_pb.js'
import { WatchWorkloadEventsRequestSchema } from '../../../proto/gen/kairship/workload_pods_pb.js'

const fleet = { version: 'v1', resource: 'pods' }
const workload = { instance: 'i', namespace: 'n', kind: 'Deployment', name: 'd' }

describe('a number of an enum that has no such value', () => {
  it('is refused in a field, with the values that there are', () => {
    const request = create(ListFleetObjectsRequestSchema, { ...fleet, scope: 7 as never })
    expect(() => requireFields(ListFleetObjectsRequestSchema, request)).toThrow(
      'scope: is 7, but must be one of CONTROL_PLANES, MEMBERS, EVERYWHERE',
    )
  })

  it('is refused in a list, where it would choose nothing', () => {
    const request = create(WatchWorkloadEventsRequestSchema, { ...workload, type: [1, 99 as never] })
    expect(() => requireFields(WatchWorkloadEventsRequestSchema, request)).toThrow(
      'type: is 99, but must be one of Normal, Warning',
    )
  })
})

it('a request whose enums have known values, or none, is accepted', () => {
  for (const type of [[], [0], [1, 2]]) {
    const request = create(WatchWorkloadEventsRequestSchema, { ...workload, type })
    expect(() => requireFields(WatchWorkloadEventsRequestSchema, request)).not.toThrow()
  }
})

it('a required name that is missing is refused once, also where the call is about what it names', () => {
  const request = create(WatchWorkloadEventsRequestSchema, { ...workload, name: '' })
  const refused = () => requireFields(WatchWorkloadEventsRequestSchema, request, ['instance', 'name'])
  expect(refused).toThrow(expect.objectContaining({ message: 'name: is required' }))
})
