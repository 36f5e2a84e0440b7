import { BehaviorSubject, Subject } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { RoleBindingIndex } from '../../../actors/host/role-binding-index.js'
import type { InstanceRole } from '../../../manifests/instance-role-binding.js'

function index() {
  const changes = new Subject<unknown>()
  const contact = new BehaviorSubject<unknown>('pending')
  const all = { changes, contact, resourceVersion: undefined as string | undefined }
  const clock = { now: 0 }
  const subject = new RoleBindingIndex(all as never, () => clock.now)
  const binding = (name: string, instance: string, role: InstanceRole, more: object = {}) => ({
    metadata: { name, uid: name, ...more },
    spec: { instance, role, subjects: [] },
  })
  const change = (type: string, ...of: Parameters<typeof binding>) =>
    changes.next({ type, object: binding(...of) })
  return { subject, clock, change, contact, all }
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

  it('have been read when the first list was, and say for how long the host has been silent', () => {
    const { subject, clock, contact, all } = index()
    expect([subject.synced, subject.silentForMs]).toEqual([false, 0])
    all.resourceVersion = '7'
    contact.next('made')
    expect(subject.synced).toBe(true)
    clock.now = 100
    expect(subject.silentForMs).toBe(0)
    contact.next({ reason: 'Unreachable' })
    clock.now = 130
    contact.next({ reason: 'Unreachable' })
    clock.now = 150
    expect(subject.silentForMs).toBe(50)
    contact.next('made')
    expect(subject.silentForMs).toBe(0)
  })
})
