import { BehaviorSubject } from 'rxjs'
import { expect, it } from 'vitest'
import { type ReportedHost, reportContact } from '../../../actors/host/report-contact.js'
import type { Contact } from '../../../actors/watches/collection.js'
import type { FailureReason } from '../../../machines/failure.js'
import { ACCESS_LOCKS } from '../../../manifests/access-lock.js'
import { INSTANCES } from '../../../manifests/instance.js'
import { INSTANCE_REGISTRATIONS } from '../../../manifests/instance-registration.js'
import { INSTANCE_ROLE_BINDINGS } from '../../../manifests/instance-role-binding.js'
import type { GroupVersionResource } from '../../../manifests/kube.js'
import { PEDIA_CLUSTERS } from '../../../manifests/pedia-cluster.js'
import { silent } from '../../silent.js'

const failed = (reason: FailureReason, message = 'no'): Contact => ({ reason, stage: 'status', message })

function reporting() {
  const watched = (resource: GroupVersionResource) => ({
    resource,
    contact: new BehaviorSubject<Contact>('pending'),
  })
  const host = {
    instances: watched(INSTANCES),
    virtualClusters: watched(PEDIA_CLUSTERS),
    registrations: watched(INSTANCE_REGISTRATIONS),
    roleBindings: { sources: { bindings: watched(INSTANCE_ROLE_BINDINGS) } },
    accessLocks: { collection: watched(ACCESS_LOCKS) },
  } satisfies ReportedHost
  const lines: object[] = []
  const subscription = reportContact(host, { ...silent, warn: fields => lines.push(fields) })
  return { host, lines, subscription }
}

it.each<[keyof Omit<ReportedHost, 'roleBindings' | 'accessLocks'>, FailureReason, string, RegExp]>([
  ['instances', 'NotServed', 'instances.kairship.io', /kubectl apply -f manifests\/crds/],
  ['instances', 'Forbidden', 'instances.kairship.io', /kubectl apply -f manifests\/install/],
  ['registrations', 'NotServed', 'instanceregistrations.kairship.io', /kubectl apply -f manifests\/crds/],
  ['virtualClusters', 'NotServed', 'pediaclusters.cluster.clusterpedia.io', /install Clusterpedia/],
  ['instances', 'Unreachable', 'instances.kairship.io', /tried again/],
])('%s that fail with %s are reported as %s with advice', (part, reason, type, advice) => {
  const { host, lines } = reporting()
  host[part].contact.next(failed(reason, 'the words of the server'))
  expect(lines).toEqual([
    { type, reason, problem: 'the words of the server', advice: expect.stringMatching(advice) },
  ])
})

it('a repeated reason is reported once; another reason, and one after contact was restored, are reported again', () => {
  const { host, lines, subscription } = reporting()
  const { contact } = host.roleBindings.sources.bindings
  contact.next(failed('NotServed', 'at 10:00'))
  contact.next(failed('NotServed', 'at 10:01'))
  contact.next(failed('Forbidden'))
  contact.next('made')
  contact.next(failed('Forbidden'))
  expect(lines).toMatchObject([{ reason: 'NotServed' }, { reason: 'Forbidden' }, { reason: 'Forbidden' }])
  subscription.unsubscribe()
  contact.next(failed('NotServed'))
  expect(lines).toHaveLength(3)
})

it('access locks that cannot be read are reported', () => {
  const { host, lines } = reporting()
  host.accessLocks.collection.contact.next(failed('NotServed'))
  expect(lines).toMatchObject([{ type: 'accesslocks.kairship.io', reason: 'NotServed' }])
})
