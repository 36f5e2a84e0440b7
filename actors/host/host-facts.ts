import { Subscription } from 'rxjs'
import type { InstanceEvent } from '../../machines/instance/events.js'
import type { OutsideObject, SharedFact } from '../../machines/instance/facts.js'
import { virtualClusterName } from '../../manifests/instance.js'
import { installationNamespace } from '../../manifests/karmada.js'
import { INSTANCE_LABEL } from '../../manifests/names.js'
import type { Collection, Contact } from '../watches/collection.js'
import type { Kept } from './kept-object.js'
import type { Host } from './watch-host.js'

/** Where a shared fact comes from, and how it is sent. */
interface Source {
  readonly fact: SharedFact
  readonly collection: Pick<Collection<Kept>, 'changes' | 'contact' | 'inContact'>
  /** The instances that a changed object concerns. */
  readonly concerns: (object: Kept) => string | undefined
  /** The present state of the fact for an instance, as an event. */
  readonly eventFor: (name: string) => InstanceEvent
}

/**
 * Distributes what the shared watches on the host show: each change goes to the one instance that it concerns, a lost or
 * regained contact to all.
 */
export class HostFacts {
  readonly #sources: readonly Source[]
  readonly #subscription = new Subscription()
  readonly #contacts = new Map<SharedFact, Contact>()

  /**
   * @param names of the instances there are
   * @param send sends an instance its event. It is given a function, so that an error in making the event stays with the
   *   instance that it is made for
   */
  constructor(
    host: Host,
    private readonly names: () => Iterable<string>,
    private readonly send: (name: string, eventOf: () => InstanceEvent) => void,
  ) {
    this.#sources = sourcesOf(host)
  }

  start(): void {
    for (const source of this.#sources) {
      this.#subscription.add(source.collection.contact.subscribe(contact => this.#contact(source, contact)))
      this.#subscription.add(
        source.collection.changes.subscribe(change => {
          if (change.type === 'SYNCED' || !source.collection.inContact) return
          const name = source.concerns(change.object)
          if (name !== undefined) this.send(name, () => source.eventFor(name))
        }),
      )
    }
  }

  stop(): void {
    this.#subscription.unsubscribe()
  }

  /** Sends an actor that has just started the present state of every fact. */
  sendAll(name: string): void {
    for (const source of this.#sources) this.#sendOne(source, name)
  }

  #contact(source: Source, contact: Contact): void {
    this.#contacts.set(source.fact, contact)
    for (const name of this.names()) this.#sendOne(source, name)
  }

  #sendOne({ fact, eventFor }: Source, name: string): void {
    const contact = this.#contacts.get(fact)
    if (contact === undefined || contact === 'pending') return
    if (contact === 'made') {
      this.send(name, () => ({ type: 'host.contactMade', of: fact }))
      this.send(name, () => eventFor(name))
    } else this.send(name, () => ({ type: 'host.contactLost', of: fact, failure: contact }))
  }
}

const sightOf = (kept: Kept | undefined): OutsideObject | 'absent' => kept?.outside ?? 'absent'
const byLabel = ({ metadata }: Kept): string | undefined => metadata.labels?.[INSTANCE_LABEL]

function sourcesOf({
  virtualClusters,
  registrations,
  roleBindings,
  karmadas,
  instances,
}: Host): readonly Source[] {
  return [
    {
      fact: 'virtualCluster',
      collection: virtualClusters,
      concerns: ({ metadata }) => metadata.name.replace(/^k-/, ''),
      eventFor: name => ({
        type: 'virtualCluster.observed',
        virtualCluster: sightOf(virtualClusters.get(virtualClusterName(name))),
      }),
    },
    {
      fact: 'registration',
      collection: registrations,
      concerns: ({ metadata }) => metadata.name,
      eventFor: name => ({ type: 'registration.observed', registration: sightOf(registrations.get(name)) }),
    },
    {
      fact: 'roleBindings',
      collection: roleBindings.all as unknown as Source['collection'],
      concerns: object => (object as unknown as { spec?: { instance?: string } }).spec?.instance,
      eventFor: name => ({ type: 'roleBindings.observed', roleBindings: roleBindings.factOf(name) }),
    },
    {
      fact: 'installation',
      collection: karmadas,
      concerns: byLabel,
      eventFor: name => {
        const instance = instances.get(name)
        const kept = instance?.spec?.install
          ? karmadas.get(`${installationNamespace(instance)}/${name}`)
          : undefined
        return { type: 'installation.observed', installation: sightOf(kept) }
      },
    },
  ]
}
