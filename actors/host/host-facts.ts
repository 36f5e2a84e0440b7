import { filter, map, type Observable, Subscription } from 'rxjs'
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
  readonly watched: Pick<Collection<Kept>, 'contact' | 'inContact'>
  /** The instances that each change concerns. */
  readonly concerned: Observable<Iterable<string>>
  /** How long a change waits for more of the same instance, milliseconds; it is sent at once unless given. */
  readonly gatheredMs?: number
  /** The present state of the fact for an instance, as an event. */
  readonly eventFor: (name: string) => InstanceEvent
}

/**
 * Global Management writes the bindings of an instance one after the other, and each time they are materialized our RBAC inside is listed
 * first: four requests. A right that is withdrawn counts at Kairship itself at once.
 */
const BINDINGS_GATHERED_MS = 100

/**
 * Distributes what the shared watches on the host show: each change goes to the instances that it concerns, a lost or
 * regained contact to all.
 */
export class HostFacts {
  readonly #sources: readonly Source[]
  readonly #subscription = new Subscription()
  readonly #contacts = new Map<SharedFact, Contact>()
  /** Instances of which a fact is gathered, by the fact and their name. */
  readonly #gathering = new Map<string, NodeJS.Timeout>()

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
      this.#subscription.add(source.watched.contact.subscribe(contact => this.#contact(source, contact)))
      this.#subscription.add(
        source.concerned.subscribe(names => {
          if (!source.watched.inContact) return
          for (const name of names) this.#changed(source, name)
        }),
      )
    }
  }

  stop(): void {
    this.#subscription.unsubscribe()
    for (const timer of this.#gathering.values()) clearTimeout(timer)
    this.#gathering.clear()
  }

  /** Sends an actor that has just started the present state of every fact. */
  sendAll(name: string): void {
    for (const source of this.#sources) this.#sendOne(source, name)
  }

  #changed({ fact, watched, eventFor, gatheredMs }: Source, name: string): void {
    const send = (): void => this.send(name, () => eventFor(name))
    const key = `${fact}/${name}`
    if (gatheredMs === undefined) send()
    else if (!this.#gathering.has(key)) {
      const timer = setTimeout(() => {
        this.#gathering.delete(key)
        if (watched.inContact) send() // else it is sent when contact is made
      }, gatheredMs)
      this.#gathering.set(key, timer.unref())
    }
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

/** A collection in which each object concerns one instance at most. */
const ofCollection = (
  collection: Pick<Collection<Kept>, 'contact' | 'inContact' | 'changes'>,
  concerns: (object: Kept) => string | undefined,
): Pick<Source, 'watched' | 'concerned'> => ({
  watched: collection,
  concerned: collection.changes.pipe(
    map(change => (change.type === 'SYNCED' ? undefined : concerns(change.object))),
    filter(name => name !== undefined),
    map(name => [name]),
  ),
})

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
      ...ofCollection(virtualClusters, ({ metadata }) => metadata.name.replace(/^k-/, '')),
      eventFor: name => ({
        type: 'virtualCluster.observed',
        virtualCluster: sightOf(virtualClusters.get(virtualClusterName(name))),
      }),
    },
    {
      fact: 'registration',
      ...ofCollection(registrations, ({ metadata }) => metadata.name),
      eventFor: name => ({ type: 'registration.observed', registration: sightOf(registrations.get(name)) }),
    },
    {
      fact: 'roleBindings',
      gatheredMs: BINDINGS_GATHERED_MS,
      watched: roleBindings,
      concerned: roleBindings.changed.pipe(
        // What was listed is sent when contact is made, as of every fact.
        filter(instances => instances !== 'all'),
        map(instances => instances.keys()),
      ),
      eventFor: name => ({ type: 'roleBindings.observed', roleBindings: roleBindings.factOf(name) }),
    },
    {
      fact: 'installation',
      ...ofCollection(karmadas, byLabel),
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
