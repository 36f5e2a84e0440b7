import { expect, it } from 'vitest'
import { rolePlacesOf, roleWarnings } from '../../../http/identity/role-places.js'
import { fakeFleet, viewOf } from '../fakes/fleet.js'

const subjects = [{ kind: 'Group', name: 'crew' }]

it('a role binding is warned of that names an instance or a workspace which is not there', () => {
  const fleet = fakeFleet(viewOf('eu'))
  fleet.roleBindings.giveMembers('crew', 'Viewer', {
    ...{ instance: 'eu', workspace: 'shop', subject: { kind: 'User', name: 'ann' } },
  })
  const places = rolePlacesOf(fleet)
  expect(roleWarnings({ instance: 'eu', subjects }, places)).toEqual([])
  expect(roleWarnings({ workspace: 'shop', subjects }, places)).toEqual([])
  expect(roleWarnings({ instance: 'shop', subjects }, places)).toEqual([
    'there is no instance shop: the role gives nothing until there is one',
  ])
  expect(roleWarnings({ workspace: 'eu', subjects }, places)).toEqual([
    'there is no workspace eu: the role gives nothing until there is one',
  ])
  fleet.delete('eu')
  expect(roleWarnings({ instance: 'eu', subjects }, places)).toHaveLength(1)
})

it('a role binding may have both kinds of warnings, the place first', () => {
  const wide = { instance: 'nowhere', subjects: [{ kind: 'Group', name: 'system:authenticated' }] }
  expect(roleWarnings(wide, rolePlacesOf(fakeFleet()))).toEqual([
    expect.stringMatching(/^there is no instance nowhere/),
    expect.stringMatching(/^the group system:authenticated is everyone/),
  ])
})
