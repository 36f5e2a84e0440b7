import type { Subscription } from 'rxjs'
import { SERVICE_ACCOUNTS } from '../../manifests/impersonator.js'
import type { KubeObject } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import type { AccountIdentity, ServiceAccounts } from '../../ports/service-accounts.js'
import { Collection, type Contact } from '../watches/collection.js'
import { metadataOnly } from '../watches/watched-type.js'
import { WATCH_OF_RIGHTS } from './watch-of-rights.js'

/** Uids of deleted accounts that are remembered, the newest; each takes some 100 bytes. */
const MOST_DELETED = 65_536

/**
 * The ServiceAccounts of the host by one watch on their metadata. A review of a token tells of a deleted account late: kube-apiserver
 * remembers for ten seconds which tokens it has accepted. Where the watch is not allowed, that is all there is.
 */
export class WatchedAccounts implements ServiceAccounts {
  readonly #collection: Collection<KubeObject>
  readonly #deleted = new Set<string>()
  readonly #subscription: Subscription
  #contact: Contact = 'pending'

  /** @param mostDeleted how many uids of deleted accounts are remembered */
  constructor(
    api: KubeApi,
    private readonly log: Log,
    private readonly meter: Meter,
    private readonly mostDeleted = MOST_DELETED,
  ) {
    this.#collection = new Collection(
      ...([SERVICE_ACCOUNTS, metadataOnly(api), 'service accounts', identified, meter] as const),
      WATCH_OF_RIGHTS,
    )
    this.#subscription = this.#collection.changes.subscribe(change => {
      if (change.type === 'SYNCED') return
      const { uid, deletionTimestamp } = change.object.metadata
      // One that waits for finalizers was deleted all the same; kube-apiserver accepts its tokens for another minute.
      if (change.type === 'DELETED' || deletionTimestamp !== undefined) this.#remember(uid)
      // A host that was restored from a backup has it again.
      else if (change.type === 'ADDED' && uid !== undefined) this.#deleted.delete(uid)
    })
    this.#subscription.add(this.#collection.contact.subscribe(contact => this.#became(contact)))
  }

  get problem(): string | undefined {
    return problemOf(this.#contact)
  }

  wasDeleted(uid: string): boolean {
    return this.#deleted.has(uid)
  }

  isThere({ namespace, name, uid }: AccountIdentity): boolean | undefined {
    if (!this.#collection.inContact) return undefined
    return this.#collection.get(`${namespace}/${name}`)?.metadata.uid === uid && !this.#deleted.has(uid)
  }

  start(): this {
    this.#collection.start()
    return this
  }

  stop(): void {
    this.#collection.stop()
    this.#subscription.unsubscribe()
  }

  #remember(uid: string | undefined): void {
    if (uid === undefined || this.#deleted.has(uid)) return
    this.#deleted.add(uid)
    const [oldest] = this.#deleted
    if (this.#deleted.size > this.mostDeleted && oldest !== undefined) this.#deleted.delete(oldest)
  }

  #became(contact: Contact): void {
    const before = this.problem
    this.#contact = contact
    this.meter.gauge('kairship_service_accounts_watched', contact === 'made' ? 1 : 0)
    const { problem } = this
    if (problem === undefined || before !== undefined) return
    this.log.warn(
      { problem },
      'the ServiceAccounts of the host cannot be watched: what a deleted one has open ends when the host refuses its token',
    )
  }
}

const problemOf = (contact: Contact): string | undefined =>
  typeof contact === 'object' ? contact.message : undefined

/** What tells accounts apart, and no more: a host may have a hundred thousand. */
const identified = ({
  metadata: { name, namespace = '', uid = '', deletionTimestamp },
}: KubeObject): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace, uid, ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
})
