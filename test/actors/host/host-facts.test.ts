import { BehaviorSubject, Subject } from 'rxjs'
import { afterEach, expect, it, vi } from 'vitest'
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
  const boundTo = new Subject<ReadonlyMap<string, unknown>>()
  let count = 0
  const bindings = Object.assign(new FakeCollection(), {
    changed: boundTo,
    factOf: () => ({ revision: `${count}`, count }),
    /** One more binding of alpha. */
    add: () => {
      count += 1
      boundTo.next(new Map([['alpha', undefined]]))
    },
  })
  const silent = () => {
    const collection = new FakeCollection()
    collection.contact.next('pending')
    return collection
  }
  const host = {
    virtualClusters: silent(),
    karmadas: silent(),
    instances: silent(),
    roleBindings: bindings,
    registrations,
  } as unknown as Host
  const sent: string[] = []
  const facts = new HostFacts(
    host,
    () => ['alpha'],
    (name, eventOf) => {
      const event = eventOf()
      const of =
        'registration' in event
          ? ` ${JSON.stringify(event.registration)}`
          : 'roleBindings' in event
            ? ` ${event.roleBindings.count}`
            : ''
      sent.push(`${name} ${event.type}${of}`)
    },
  )
  facts.start()
  sent.length = 0
  return { registrations, bindings, sent, facts }
}

afterEach(() => vi.useRealTimers())

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

it('role bindings that are written one after the other are one fact, also when they never pause', () => {
  vi.useFakeTimers()
  const { bindings, sent } = started()
  bindings.add()
  vi.advanceTimersByTime(60)
  bindings.add()
  expect(sent).toEqual([])
  vi.advanceTimersByTime(40)
  expect(sent).toEqual(['alpha roleBindings.observed 2'])
  bindings.add()
  vi.advanceTimersByTime(100)
  expect(sent.slice(1)).toEqual(['alpha roleBindings.observed 3'])
})

it('a gathered fact is not sent while contact is lost, nor after the end', () => {
  vi.useFakeTimers()
  const { bindings, sent, facts } = started()
  bindings.add()
  bindings.contact.next({ reason: 'Unreachable', stage: 'role bindings', message: 'reset' })
  vi.advanceTimersByTime(1_000)
  expect(sent).toEqual(['alpha host.contactLost'])
  bindings.contact.next('made')
  bindings.add()
  facts.stop()
  sent.length = 0
  vi.advanceTimersByTime(1_000)
  expect(sent).toEqual([])
})
