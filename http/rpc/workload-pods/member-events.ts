import { joined } from '../../../ports/cancellation.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { sideCall } from '../../objects/side-call.js'
import { closeSource } from '../concurrency/live-merge.js'
import { askMember } from '../concurrency/within-patience.js'
import { type Event, events } from '../core/event.js'
import { pods } from '../core/pod.js'
import { type PodsIn, podsIn, type WorkloadAt } from './pods-in.js'
import { type WholeOrChange, wholeOrChanges } from './whole-or-change.js'
import { isAbout, isOfTypes } from './workload-events.js'

/** What the first list of one member may take. */
const PATIENCE_MS = 5_000
/** Until a member that does not have the workload is asked again whether it has it. */
export const ABSENT_MS = 60_000
/** Objects of others that are remembered, so that they are looked up once. */
const MOST_STRANGERS = 1_000
/** Names that an event may ask us to look up. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/

/** One watch of the events of a namespace in a member, of which those of a workload and its pods are passed on. */
export class MemberEvents {
  /** The uids of what is of the workload; also of pods that are gone, whose events stay. */
  readonly #known = new Set<string>()
  readonly #strangers = new Set<string>()

  constructor(
    readonly objects: Objects,
    readonly at: WorkloadAt & { readonly cluster: string },
    readonly types: ReadonlySet<string>,
  ) {}

  /**
   * The whole list first, and then what changes. Ends where it is to be begun anew: the workload was made anew, or the member no longer
   * knows the changes since.
   * @throws Failure DEADLINE_EXCEEDED where the first list takes too long; what the member refuses; the reason of the call's signal
   */
  async *changes(call: ObjectCall): AsyncGenerator<WholeOrChange<Event>, void> {
    const attempt = new AbortController()
    const { signal, clear } = joined([call.signal, attempt.signal])
    const own = { ...sideCall(call), signal }
    const anew = () => attempt.abort(new Error('the events are followed anew'))
    let timer: NodeJS.Timeout | undefined
    let rest: AsyncGenerator<WholeOrChange<Event>, void> | undefined
    try {
      const opened = await askMember(own, PATIENCE_MS, inMember => this.#open(own, inMember, anew))
      rest = opened.rest
      yield opened.first
      if (!opened.isThere) timer = setTimeout(anew, ABSENT_MS)
      for await (const step of rest) {
        if ('whole' in step) return
        yield step
      }
    } catch (error) {
      if (call.signal.aborted || !attempt.signal.aborted) throw error
    } finally {
      clearTimeout(timer)
      anew()
      if (rest) closeSource(rest)
      clear()
    }
  }

  /** Pods that were made between the list of pods and that of events have events that were passed over: then both are read again. */
  async #open(own: ObjectCall, inMember: ObjectCall, anew: () => void) {
    let found = await this.#find(inMember)
    for (;;) {
      const passed = new Set<string>()
      const rest = wholeOrChanges(this.#watch(own, found, passed, anew))
      const { value: first } = await rest.next()
      if (!first) throw new Error('the events of a member ended')
      found = passed.size > 0 ? await this.#find(inMember) : found
      if (![...passed].some(uid => this.#known.has(uid)))
        return { first, rest, isThere: found.belonging !== undefined }
      closeSource(rest)
    }
  }

  async #find(call: ObjectCall): Promise<PodsIn> {
    const found = await podsIn(this.objects, call, this.at)
    for (const uid of found.belonging?.owners ?? []) this.#known.add(uid)
    for (const { metadata } of found.pods) if (metadata.uid) this.#known.add(metadata.uid)
    return found
  }

  #watch(call: ObjectCall, found: PodsIn, passed: Set<string>, anew: () => void) {
    const { namespace } = this.at
    const where = (event: Event): boolean => {
      if (!isOfTypes(event, this.types)) return false
      if (isAbout(event, this.at, this.#known)) return true
      if (event.involvedObject?.uid && !this.#strangers.has(event.involvedObject.uid))
        passed.add(event.involvedObject.uid)
      return false
    }
    const learn = async (event: Event): Promise<void> => {
      passed.clear() // what is learned is not passed over
      const { kind = '', name = '', uid = '' } = event.involvedObject ?? {}
      if (!isOfTypes(event, this.types) || !uid || this.#known.has(uid) || this.#strangers.has(uid)) return
      if (kind === this.at.kind && name === this.at.name) {
        this.#known.add(uid)
        anew()
      } else if (await this.#isOurs(call, found, { kind, name, uid })) this.#known.add(uid)
      else this.#addStranger(uid)
    }
    const query = { namespace, where, learn, page: 1, pageSize: 0 }
    return this.objects.watch<Event>(call, found.place, events.type, query)
  }

  async #isOurs(
    call: ObjectCall,
    { belonging, place }: PodsIn,
    { kind, name, uid }: Required<NonNullable<Event['involvedObject']>>,
  ): Promise<boolean> {
    if (!belonging || !NAME.test(name)) return false
    if (kind !== 'Pod') {
      const owner = { apiVersion: '', kind, name, uid, controller: true }
      await belonging.learn?.({
        ...{ apiVersion: 'v1', kind: 'Pod' },
        metadata: { name: '', ownerReferences: [owner] },
      })
      return belonging.owners.has(uid)
    }
    const query = {
      namespace: this.at.namespace,
      fieldSelector: `metadata.name=${name}`,
      page: 1,
      pageSize: 0,
    }
    const { items } = await this.objects.list(call, place, pods.type, query)
    const pod = items.find(({ metadata }) => metadata.uid === uid)
    if (!pod) return false
    await belonging.learn?.(pod)
    return belonging.where(pod)
  }

  #addStranger(uid: string): void {
    this.#strangers.add(uid)
    const [oldest = ''] = this.#strangers
    if (this.#strangers.size > MOST_STRANGERS) this.#strangers.delete(oldest)
  }
}
