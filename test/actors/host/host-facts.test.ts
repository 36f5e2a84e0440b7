import { BehaviorSubject, NEVER, Subject } from 'rxjs'
import { expect, it } from 'vitest'
import { HostFacts } from '../../../actors/host/host-facts.js'
import type { Kept } from '../../../actors/host/kept-object.js'
import type { Host } from '../../../actors/host/watch-host.js'
import type { Contact } from '../../../actors/watches/collection.js'
import type { Change } from '../../../streams/object-store.js'

/** A collection whose contact and changes a test decides. */
class FakeCollection {
  readonly contact = new BehaviorSubject<Contact>('made')
  readonly changes = new Subject<Change<Kept>>()
  readonly objects = new Map<string, Kept>()
  get inContact(): boolean {
    return this.contact.value === 'made'
  }
  get(key: string): Kept | undefined {
    return this.objects.get(key)
  }
  change(name: string, revision: string): void {
    const object = { metadata: { name }, outside: { revision, deleting: false } } as Kept
    this.objects.set(name, object)
    this.changes.next({ type: 'ADDED', object })
  }
}

/** The facts of one instance, alpha, in words. */
function started() {
  const registrations = new FakeCollection()
  const silent = () => {
    const collection = new FakeCollection()
    collection.contact.next('pending')
    return collection
  }
  const host = {
    virtualClusters: silent(),
    karmadas: silent(),
    instances: silent(),
    roleBindings: { ...silent(), changed: NEVER },
    registrations,
  } as unknown as Host
  const sent: string[] = []
  const facts = new HostFacts(
    host,
    () => ['alpha'],
    (name, eventOf) => {
      const event = eventOf()
      const of = 'registration' in event ? ` ${JSON.stringify(event.registration)}` : ''
      sent.push(`${name} ${event.type}${of}`)
    },
  )
  facts.start()
  sent.length = 0
  return { registrations, sent, facts }
}

it('a change is sent only to its instance', () => {
  const { registrations, sent, facts } = started()
  registrations.change('alpha', 'one')
  facts.stop()
  registrations.change('alpha', 'two')
  expect(sent).toEqual(['alpha registration.observed {"revision":"one","deleting":false}'])
})

it('only the loss of contact is sent while contact is lost, and the current state after that', () => {
  const { registrations, sent } = started()
  registrations.contact.next({ reason: 'Unreachable', stage: 'registration', message: 'reset' })
  // A list that is under way brings changes one by one; until it is complete, absence means nothing.
  registrations.change('alpha', 'one')
  registrations.change('alpha', 'two')
  expect(sent).toEqual(['alpha host.contactLost'])
  registrations.contact.next('made')
  expect(sent.slice(1)).toEqual([
    'alpha host.contactMade',
    'alpha registration.observed {"revision":"two","deleting":false}',
  ])
})
