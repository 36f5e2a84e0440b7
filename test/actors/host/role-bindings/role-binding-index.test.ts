import { describe, expect, it } from 'vitest'
import type { InstanceRole } from '../../../../manifests/instance-role-binding.js'
import { instanceRoleBinding, roleBindingIndex } from './watched-roles.js'

function index() {
  const { index: subject, clock, bindings } = roleBindingIndex()
  return {
    subject,
    clock,
    bindings,
    change: (type: string, name: string, instance: string, role: InstanceRole, metadata: object = {}) =>
      type === 'DELETED'
        ? bindings.hide(name)
        : bindings.show(instanceRoleBinding(name, instance, role, { metadata })),
  }
}

describe('the rights that role bindings give in an instance', () => {
  it('change with each binding of the instance, including deletions, and with nothing else', () => {
    const { subject, clock, change } = index()
    const revisions = [subject.rightsOf('eu').revision]
    const next = (...of: Parameters<typeof change>) => {
      clock.now += 10
      change(...of)
      revisions.push(subject.rightsOf('eu').revision)
    }
    next('ADDED', 'a', 'eu', 'Viewer')
    next('MODIFIED', 'a', 'eu', 'Viewer', { resourceVersion: '2' })
    next('ADDED', 'b', 'us', 'Viewer')
    expect(subject.rightsOf('eu').unchangedForMs).toBe(20)
    next('MODIFIED', 'a', 'eu', 'Admin')
    expect(subject.rightsOf('eu').unchangedForMs).toBe(0)
    next('MODIFIED', 'a', 'eu', 'Admin', { deletionTimestamp: '2026-11-22T10:00:00Z' })
    next('DELETED', 'a', 'eu', 'Admin')
    const isChanged = revisions.slice(1).map((revision, at) => revision !== revisions[at])
    expect(isChanged).toEqual([true, false, false, true, true, false])
  })

  it('are forgotten an hour after the last binding of an instance went, and not before', () => {
    const { subject, clock, change } = index()
    const forgotten = { revision: '', unchangedForMs: Number.POSITIVE_INFINITY }
    for (const name of ['eu', 'us']) {
      change('ADDED', name, name, 'Viewer')
      change('DELETED', name, name, 'Viewer')
    }
    change('ADDED', 'again', 'us', 'Viewer')
    clock.now = 3_600_000 - 1
    change('ADDED', 'a', 'other', 'Viewer')
    expect(subject.rightsOf('eu').unchangedForMs).toBe(3_600_000 - 1)
    clock.now += 1
    change('MODIFIED', 'a', 'other', 'Viewer')
    expect(subject.rightsOf('eu')).toEqual(forgotten)
    expect(subject.rightsOf('us').unchangedForMs).toBe(3_600_000)
  })

  it('cost each binding of a list one look, however many the instance has', () => {
    const { subject, bindings } = index()
    let looks = 0
    for (let each = 0; each < 50; each++) {
      const binding = instanceRoleBinding(`b${each}`, 'eu', 'Viewer')
      const spec = {
        ...binding.spec,
        get role() {
          looks += 1
          return 'Viewer' as const
        },
      }
      bindings.show({ ...binding, spec })
    }
    const { revision } = subject.rightsOf('eu')
    expect(subject.factOf('eu')).toEqual({ revision, count: 50 })
    expect(looks).toBe(50)
  })

  it('are of the bindings and not of the order in which they came, and are as before when a change is taken back', () => {
    const [one, other] = [index(), index()]
    for (const name of ['a', 'b']) one.change('ADDED', name, 'eu', 'Viewer')
    for (const name of ['b', 'a']) other.change('ADDED', name, 'eu', 'Viewer')
    const { revision } = one.subject.rightsOf('eu')
    expect(other.subject.rightsOf('eu').revision).toBe(revision)
    one.change('ADDED', 'c', 'eu', 'Viewer')
    expect(one.subject.rightsOf('eu').revision).not.toBe(revision)
    one.clock.now = 30
    one.change('DELETED', 'c', 'eu', 'Viewer')
    expect(one.subject.rightsOf('eu')).toEqual({ revision, unchangedForMs: 0 })
  })

  it('show a binding as it is now, also where only its status changed', () => {
    const { subject, change } = index()
    change('ADDED', 'b', 'eu', 'Viewer')
    change('ADDED', 'a', 'eu', 'Viewer')
    expect(subject.of('eu').map(({ metadata }) => metadata.name)).toEqual(['a', 'b'])
    change('MODIFIED', 'a', 'eu', 'Viewer', { resourceVersion: '2' })
    expect(subject.of('eu').map(({ origin }) => origin.object.metadata.resourceVersion)).toEqual([
      '2',
      undefined,
    ])
  })

  it('are empty from the beginning where no binding existed', () =>
    expect(index().subject.rightsOf('eu')).toEqual({
      revision: '',
      unchangedForMs: Number.POSITIVE_INFINITY,
    }))

  it('have no revision for an instance without bindings, and the same one as long as nothing changes', () => {
    const { subject, change } = index()
    expect(subject.revisionOf('eu')).toBe('')
    change('ADDED', 'a', 'eu', 'Viewer')
    expect(subject.revisionOf('eu')).toBe(subject.rightsOf('eu').revision)
    expect(subject.revisionOf('eu')).not.toBe('')
    change('DELETED', 'a', 'eu', 'Viewer')
    expect(subject.revisionOf('eu')).toBe('')
  })

  it('have been read when everything was listed once, and say what was not', () => {
    const { index, bindings, workspaceRoleBindings } = roleBindingIndex()
    expect([index.synced, index.unread]).toEqual([true, []])
    bindings.resourceVersion = undefined
    workspaceRoleBindings.resourceVersion = undefined
    expect([index.synced, index.unread]).toEqual([
      false,
      ['instancerolebindings.kairship.io', 'workspacerolebindings.kairship.io'],
    ])
  })

  it('say for how long the host has been silent about any of them', () => {
    const { index, clock, bindings, workspaces } = roleBindingIndex()
    const lost = { reason: 'Unreachable', stage: 'role bindings', message: 'reset' } as const
    clock.now = 100
    expect(index.silentForMs).toBe(0)
    bindings.contact.next(lost)
    clock.now = 130
    workspaces.contact.next(lost)
    bindings.contact.next('made')
    clock.now = 150
    expect(index.silentForMs).toBe(50)
    workspaces.contact.next('made')
    expect(index.silentForMs).toBe(0)
  })

  it('say that the host is silent while their watches look as if nothing changed', () => {
    const { index, clock, pulse, bindings } = roleBindingIndex()
    pulse.silentForMs = 70_000
    expect(index.silentForMs).toBe(70_000)
    bindings.contact.next({ reason: 'Unreachable', stage: 'role bindings', message: 'reset' })
    clock.now += 10_000
    expect(index.silentForMs).toBe(70_000)
  })
})
