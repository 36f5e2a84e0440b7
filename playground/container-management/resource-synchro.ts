import type { KubeObject } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { keepWatching } from '../../streams/keep-watching.js'
import { listWatch } from '../../streams/list-watch.js'
import type { Interrupted, Seen } from '../../streams/seen.js'
import { isLocal } from '../client/local-connector.js'
import { timestamp } from '../objects/timestamp.js'
import type { ClusterTable } from './index/cluster-table.js'
import type { IndexedType } from './index/resource-index.js'
import type { SyncCondition } from './pedia-cluster.js'

/** After an interruption the next attempt counts as a success when nothing went wrong for so long. */
const CALM_MS = 2_000

/** Keeps the index of one type of one cluster current, and reports its progress. */
export class ResourceSynchro {
  readonly type: IndexedType
  readonly #api: KubeApi
  readonly #table: ClusterTable
  readonly #onStatus: () => void
  readonly #now: () => number
  readonly #holdsBack: (takeIn: () => void) => boolean
  /** Ends the collecting that is under way. */
  #stop: (() => void) | undefined
  #calm: NodeJS.Timeout | undefined
  /** Its objects were deleted by a fault that lasts. */
  #lost = false
  #status: SyncCondition

  constructor(
    type: IndexedType,
    api: KubeApi,
    table: ClusterTable,
    {
      now,
      onStatus,
      holdsBack,
    }: {
      readonly now: () => number
      readonly onStatus: () => void
      /** Whether what just came has to wait; then the function is called later (a fault, see `faults.ts`). */
      readonly holdsBack: (takeIn: () => void) => boolean
    },
  ) {
    this.type = type
    this.#api = api
    this.#table = table
    this.#onStatus = onStatus
    this.#now = now
    this.#holdsBack = holdsBack
    this.#status = this.#condition('Pending')
  }

  get status(): SyncCondition {
    return this.#status
  }

  /** True once a first list was complete; what is indexed stays readable after that, whatever the status. */
  get listed(): boolean {
    return this.#table.resourceVersion !== ''
  }

  start(): void {
    if (this.#stop || this.#lost) return
    this.#set('Pending')
    this.#stop = this.#follow() ?? this.#watch()
  }

  /** Stops collecting and deletes all objects but a few; the status goes on saying what it said (a fault). */
  loseObjects(keep: number): void {
    this.#lost = true
    this.#end()
    this.#table.loseObjects(keep)
  }

  /** Ends that fault: reads the objects again, without a word in the status. */
  readAgain(): void {
    this.#lost = false
    this.#stop ??= this.#follow() ?? this.#watch()
  }

  /** A cluster of this process is followed; when it ends that, it is watched like any other. */
  #follow(): (() => void) | undefined {
    if (!isLocal(this.#api)) return undefined
    return this.#api.follow(this.type, {
      onSeen: seen => this.#see(seen),
      onEnd: () => {
        this.#stop = this.#watch()
      },
    })
  }

  #watch(): () => void {
    const { group, version, resource } = this.type
    const seen = keepWatching(listWatch<KubeObject>(this.#api, { group, version, resource }))
    const subscription = seen.subscribe(one => this.#see(one))
    return () => subscription.unsubscribe()
  }

  /** Stops collecting; what was collected stays. */
  stop(): void {
    this.#end()
    this.#set('Stop', 'Pause')
  }

  close(): void {
    this.#end()
  }

  #end(): void {
    clearTimeout(this.#calm)
    this.#stop?.()
    this.#stop = undefined
  }

  /** What is held back is taken in later, unless collecting has ended by then. */
  #see(seen: Seen<KubeObject>): void {
    if (!this.#holdsBack(() => this.#stop && this.#take(seen))) this.#take(seen)
  }

  #take(seen: Seen<KubeObject>): void {
    if (seen.type === 'interrupted') {
      this.#interrupted(seen)
      return
    }
    this.#table.take(seen, this.#now())
    if (seen.type !== 'restarted') this.#healthy()
  }

  #interrupted({ error, retryInMs }: Interrupted): void {
    this.#set('Error', 'ResourceWatchFailed', error.message)
    clearTimeout(this.#calm)
    // A watch that was resumed says nothing while nothing changes.
    if (this.listed) this.#calm = setTimeout(() => this.#healthy(), retryInMs + CALM_MS)
  }

  #healthy(): void {
    clearTimeout(this.#calm)
    const { status, initialListPhase } = this.#status
    if (status !== 'Syncing' || initialListPhase === this.listed) this.#set('Syncing')
  }

  #set(status: SyncCondition['status'], reason = '', message = ''): void {
    const before = this.#status
    const next = this.#condition(status, reason, message)
    const same =
      before.status === status &&
      before.reason === next.reason &&
      before.message === next.message &&
      before.initialListPhase === next.initialListPhase
    if (same) return
    this.#status = next
    this.#onStatus()
  }

  #condition(status: SyncCondition['status'], reason = '', message = ''): SyncCondition {
    const { version } = this.type
    const initialListPhase = (status === 'Pending' || status === 'Syncing') && !this.listed
    return {
      version,
      storageVersion: version,
      status,
      ...(reason && { reason }),
      ...(message && { message }),
      ...(initialListPhase && { initialListPhase }),
      lastTransitionTime: timestamp(this.#now()),
    }
  }
}
