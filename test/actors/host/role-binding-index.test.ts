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
  return { subject, clock, change, changes, contact, all }
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
    const { subject, changes } = index()
    let looks = 0
    for (let each = 0; each < 50; each++)
      changes.next({
        type: 'ADDED',
        object: {
          metadata: { name: `b${each}`, uid: `${each}` },
          spec: {
            instance: 'eu',
            get role() {
              looks += 1
              return 'Viewer'
            },
          },
        },
      })
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
    expect(subject.of('eu').map(({ metadata }) => metadata.resourceVersion)).toEqual(['2', undefined])
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
