import { expect, it } from 'vitest'
import type { RecentEvent } from '../../../http/audit/recent-event.js'
import { keepRoleEvents } from '../../../http/audit/role-events.js'
import { fakeRoleBindings } from '../fakes/role-bindings.js'

it('the event of a role says which it is, whose, until when and why, and to which instance it belongs', () => {
  const roleBindings = fakeRoleBindings()
  const events: RecentEvent[] = []
  const end = keepRoleEvents({ keep: event => void events.push(event) }, roleBindings)
  const subject = { kind: 'Group', name: 'team' } as const
  roleBindings.give('brief', 'Admin', { instance: 'eu', subject, expiresAt: '2026-11-24T12:00:05Z' })
  roleBindings.giveMembers('all', 'Viewer', { instance: 'eu', subject, workspace: 'shop' })
  expect(events).toMatchObject([
    {
      ...{ operation: 'role began', verb: 'bind', instance: 'eu', resource: 'instancerolebindings' },
      ...{ name: 'brief', message: 'Admin for Group team, until 2026-11-24T12:00:05Z' },
      details: { role: 'Admin', subjects: 'Group team', expiresAt: '2026-11-24T12:00:05Z', workspace: '' },
      ...{ user: 'kairship:controller-manager', wire: '', endedAt: Date.parse('2026-11-24T12:00:00Z') },
    },
    {
      ...{ operation: 'role given', verb: 'bind', instance: '', resource: 'workspacerolebindings' },
      ...{ name: 'all', message: 'Viewer in the workspace shop for Group team' },
      details: { role: 'Viewer', subjects: 'Group team', workspace: 'shop', reason: '' },
    },
  ])
  end()
  roleBindings.take('brief')
  expect(events).toHaveLength(2)
})
