import { describe, expect, it } from 'vitest'
import { RoleChanges } from '../../../../actors/host/role-bindings/role-changes.js'

/** What followers of all, of `eu` twice and of `us` are told, in order. */
function followed() {
  const changes = new RoleChanges()
  const told: string[] = []
  changes.all.subscribe(instances => told.push(instances === 'all' ? 'all' : [...instances.keys()].join()))
  const [first] = [
    changes.of('eu').subscribe(() => told.push('eu, first')),
    changes.of('eu').subscribe(() => told.push('eu, second')),
    changes.of('us').subscribe(() => told.push('us')),
  ]
  return { changes, told, first: first as NonNullable<typeof first> }
}

describe('a change of roles', () => {
  it('is told to the followers of what changed, and to those of all', () => {
    const { changes, told } = followed()
    changes.tell(new Set(['eu', 'nobody']))
    expect(told).toEqual(['eu,nobody', 'eu, first', 'eu, second'])
  })

  it('of everything is told to each follower', () => {
    const { changes, told } = followed()
    changes.tell('all')
    expect(told).toEqual(['all', 'eu, first', 'eu, second', 'us'])
  })

  it('is not told to a follower that left, and still to the other of the same instance', () => {
    const { changes, told, first } = followed()
    first.unsubscribe()
    changes.tell(new Set(['eu']))
    expect(told).toEqual(['eu', 'eu, second'])
  })

  it('is told to a follower that comes after all had left', () => {
    const changes = new RoleChanges()
    changes.of('eu').subscribe().unsubscribe()
    const told: string[] = []
    changes.of('eu').subscribe(() => told.push('eu'))
    changes.tell(new Set(['eu']))
    expect(told).toEqual(['eu'])
  })
})
