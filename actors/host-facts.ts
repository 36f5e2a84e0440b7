import { Subscription } from 'rxjs'
import type { InstanceEvent } from '../machines/events.js'
import type { OutsideObject, SharedFact } from '../machines/facts.js'
import { virtualClusterName } from '../manifests/instance.js'
import { installationNamespace } from '../manifests/karmada.js'
import { INSTANCE_LABEL } from '../manifests/names.js'
import type { Collection, Contact } from './collection.js'
import type { Host } from './host.js'
import type { Kept } from './outside-object.js'

/** Where a shared fact comes from, and how it is told. */
interface Source {
  readonly fact: SharedFact
  readonly collection: Pick<Collection<Kept>, 'changes' | 'contact' | 'inContact'>
  /** The instances that a changed object concerns. */
  readonly concerns: (object: Kept) => string | undefined
  /** How things stand for an instance. */
  readonly tell: (name: string) => InstanceEvent
}

/**
 * Takes the shared watches on the host apart: each change is told to the one instance that it concerns, and how contact
 * stands is told to all.
 */
export class HostFacts {
  readonly #sources: readonly Source[]
  readonly #subscription = new Subscription()
  readonly #contacts = new Map<SharedFact, Contact>()

  constructor(
    host: Host,
    private readonly names: () => Iterable<string>,
    private readonly tell: (name: string, event: InstanceEvent) => void,
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
          if (name !== undefined) this.tell(name, source.tell(name))
        }),
      )
    }
  }

  stop(): void {
    this.#subscription.unsubscribe()
  }

  /** Tells an actor that has just started how everything stands. */
  tellAll(name: string): void {
    for (const source of this.#sources) this.#tellOne(source, name)
  }

  #contact(source: Source, contact: Contact): void {
    this.#contacts.set(source.fact, contact)
    for (const name of this.names()) this.#tellOne(source, name)
  }

  #tellOne({ fact, tell }: Source, name: string): void {
    const contact = this.#contacts.get(fact)
    if (contact === undefined || contact === 'pending') return
    if (contact === 'made') {
      this.tell(name, { type: 'host.contactMade', of: fact })
      this.tell(name, tell(name))
    } else this.tell(name, { type: 'host.contactLost', of: fact, failure: contact })
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
      tell: name => ({
        type: 'virtualCluster.observed',
        virtualCluster: sightOf(virtualClusters.get(virtualClusterName(name))),
      }),
    },
    {
      fact: 'registration',
      collection: registrations,
      concerns: ({ metadata }) => metadata.name,
      tell: name => ({ type: 'registration.observed', registration: sightOf(registrations.get(name)) }),
    },
    {
      fact: 'roleBindings',
      collection: roleBindings.all as unknown as Source['collection'],
      concerns: object => (object as unknown as { spec: { instance: string } }).spec.instance,
      tell: name => ({ type: 'roleBindings.observed', roleBindings: roleBindings.factOf(name) }),
    },
    {
      fact: 'installation',
      collection: karmadas,
      concerns: byLabel,
      tell: name => {
        const instance = instances.get(name)
        const kept = instance?.spec.install
          ? karmadas.get(`${installationNamespace(instance)}/${name}`)
          : undefined
        return { type: 'installation.observed', installation: sightOf(kept) }
      },
    },
  ]
}
