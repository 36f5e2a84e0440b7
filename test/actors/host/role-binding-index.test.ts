import { Subject } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { RoleBindingIndex } from '../../../actors/host/role-binding-index.js'
import type { InstanceRole } from '../../../manifests/instance-role-binding.js'

function index() {
  const changes = new Subject<unknown>()
  const clock = { now: 0 }
  const subject = new RoleBindingIndex({ changes } as never, () => clock.now)
  const binding = (name: string, instance: string, role: InstanceRole, more: object = {}) => ({
    metadata: { name, uid: name, ...more },
    spec: { instance, role, subjects: [] },
  })
  const change = (type: string, ...of: Parameters<typeof binding>) =>
    changes.next({ type, object: binding(...of) })
  return { subject, clock, change }
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
})
