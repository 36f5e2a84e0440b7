import { BehaviorSubject, combineLatest, type Observable, type Subscription } from 'rxjs'
import type { KubeObject } from '../../../manifests/kube.js'
import type { Collection, Contact } from '../../watches/collection.js'

/** How contact stands with several watches of the host as one: lost when it is lost with one of them, made when it is with all. */
export class JoinedContact {
  readonly #contact = new BehaviorSubject<Contact>('pending')
  /** When contact was lost; undefined while it lasts, and before it was made. */
  #lostAt: number | undefined
  #subscription: Subscription | undefined

  /**
   * @param now milliseconds of a clock that does not go back
   * @param made called each time that contact was made with all
   */
  constructor(
    private readonly now: () => number,
    private readonly made: () => void,
  ) {}

  /** Follows these; until then it is pending. */
  follow(collections: readonly Pick<Collection<KubeObject>, 'contact'>[]): void {
    this.#subscription = combineLatest(collections.map(({ contact }) => contact)).subscribe(contacts =>
      this.#became(contacts),
    )
  }

  /** Emits at once, and then each change. */
  get changes(): Observable<Contact> {
    return this.#contact
  }

  get isMade(): boolean {
    return this.#contact.value === 'made'
  }

  /** Milliseconds; 0 while it is not lost. */
  get lostForMs(): number {
    return this.#lostAt === undefined ? 0 : this.now() - this.#lostAt
  }

  stop(): void {
    this.#subscription?.unsubscribe()
  }

  #became(contacts: readonly Contact[]): void {
    const failed = contacts.find(contact => typeof contact === 'object')
    const contact = failed ?? (contacts.includes('pending') ? 'pending' : 'made')
    if (contact === 'made') this.#lostAt = undefined
    else if (contact !== 'pending') this.#lostAt ??= this.now()
    const wasMade = this.isMade
    if (contact === 'made' && wasMade) return
    this.#contact.next(contact)
    if (contact === 'made') this.made()
  }
}
