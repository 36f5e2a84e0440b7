import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { RoleEvent } from '../../../../ports/role-bindings.js'
import { instanceRoleBinding, roleBindingIndex, workspaceRoleBinding } from './watched-roles.js'

/** The index over types that a test sets, and what it says becomes of roles. */
function watched() {
  const roles = roleBindingIndex()
  const events: RoleEvent[] = []
  onTestFinished(roles.index.onEvent(event => events.push(event)))
  onTestFinished(() => roles.index.stop())
  const until = (ms: number) => new Date(roles.clock.wall + ms).toISOString()
  const said = () => events.splice(0).map(({ what, binding }) => `${binding.metadata.name} ${what}`)
  return { ...roles, said, until }
}
const ann = { kind: 'User', name: 'ann' } as const
const bob = { kind: 'User', name: 'bob' } as const

describe('what becomes of a role', () => {
  it('is that it is given, changed and withdrawn, on instances and in workspaces', () => {
    const { bindings, workspaceRoleBindings, said } = watched()
    bindings.show(instanceRoleBinding('one', 'eu', 'Viewer', { subjects: [ann] }))
    workspaceRoleBindings.show(workspaceRoleBinding('two', 'shop', 'Viewer', { subjects: [ann] }))
    expect(said()).toEqual(['one given', 'two given'])
    bindings.show(instanceRoleBinding('one', 'eu', 'Viewer', { subjects: [ann, bob] }))
    expect(said()).toEqual(['one changed'])
    bindings.hide('one')
    workspaceRoleBindings.hide('two')
    expect(said()).toEqual(['one withdrawn', 'two withdrawn'])
  })

  it('is nothing where the status changes, or a deletion that was seen to begin is over', () => {
    const { bindings, said } = watched()
    const one = instanceRoleBinding('one', 'eu', 'Viewer', { subjects: [ann] })
    bindings.show(one)
    bindings.show({ ...one, status: { conditions: [] } })
    expect(said()).toEqual(['one given'])
    bindings.show({ ...one, metadata: { ...one.metadata, deletionTimestamp: '2026-11-24T12:00:00Z' } })
    expect(said()).toEqual(['one withdrawn'])
    bindings.hide('one')
    expect(said()).toEqual([])
  })

  it('is no news of bindings that were there when the watch began', () => {
    const { bindings, said } = watched()
    bindings.resourceVersion = undefined
    bindings.show(instanceRoleBinding('old', 'eu', 'Viewer', { subjects: [ann] }))
    bindings.resourceVersion = '1'
    expect(said()).toEqual([])
    bindings.hide('old')
    expect(said()).toEqual(['old withdrawn'])
  })

  it('is that one with an end begins, is put off, and ends by the clock', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { bindings, clock, said, until } = watched()
    bindings.show(instanceRoleBinding('brief', 'eu', 'Admin', { expiresAt: until(5_000) }))
    expect(said()).toEqual(['brief began'])
    bindings.show(instanceRoleBinding('brief', 'eu', 'Admin', { expiresAt: until(9_000) }))
    expect(said()).toEqual(['brief changed'])
    clock.wall += 6_000
    vi.advanceTimersByTime(6_000)
    expect(said()).toEqual([])
    clock.wall += 3_000
    vi.advanceTimersByTime(3_000)
    expect(said()).toEqual(['brief ended'])
    bindings.hide('brief')
    expect(said()).toEqual([])
  })

  it('is nothing of one whose end was over before it was seen', () => {
    const { bindings, said, until } = watched()
    bindings.show(instanceRoleBinding('past', 'eu', 'Admin', { expiresAt: until(-1_000) }))
    bindings.hide('past')
    expect(said()).toEqual([])
  })

  it('is that another binding of the same name is given after the one before was withdrawn', () => {
    const { bindings, said } = watched()
    bindings.show(instanceRoleBinding('one', 'eu', 'Viewer', { metadata: { uid: 'a' } }))
    bindings.show(instanceRoleBinding('one', 'eu', 'Admin', { metadata: { uid: 'b' } }))
    expect(said()).toEqual(['one given', 'one withdrawn', 'one given'])
  })
})
