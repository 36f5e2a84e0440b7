import { vi } from 'vitest'
import { CatchUp } from '../../../http/read-your-writes/catch-up.js'
import { WriteLedger } from '../../../http/read-your-writes/ledger.js'
import type { Instance } from '../../../manifests/instance.js'
import { type KubeRequest, UnreachableError } from '../../../ports/kube-api.js'
import { testApi } from '../fakes/api.js'
import { open } from '../fakes/events.js'
import { fakeFleet, viewOf } from '../fakes/fleet.js'
import { merged, refusal } from '../fakes/host.js'

/** What becomes of a write's answer. */
export type Fate = 'answered' | 'executed, not answered' | 'executed later, not answered'

/** The classes behind the API, which a test may break. */
export interface Parts {
  readonly Ledger: typeof WriteLedger
  readonly Catching: typeof CatchUp
}

interface Moment {
  /** The version at which the Instance of this name became so. */
  readonly at: number
  readonly name: string
  /** Undefined once it is gone. */
  readonly instance: Instance | undefined
}

/** What a read showed: the version of each Instance by name. */
export type Shown = ReadonlyMap<string, number>

/**
 * The management API over a host that keeps every state its Instances ever had, and a fleet that follows it only when it
 * is told to. Independent of how the API knows what it may show: it is only judged by what it answered.
 */
export class LaggingWorld {
  clock = 1_000_000
  /** Reads by how they were answered. */
  readonly answers: string[] = []
  readonly fleet = fakeFleet()
  readonly api: ReturnType<typeof testApi>
  /** Called whenever the host is asked or a read waits: others do something in between. */
  meanwhile: () => void = () => undefined
  #version = 100
  #uids = 0
  readonly #moments: Moment[] = []
  #followed = 0
  /** By user and name: the version that the user's last write made, or found. */
  readonly #own = new Map<string, number>()
  readonly #late: (() => void)[] = []
  #fate: { readonly user: string; readonly fate: Fate } | undefined
  /** Reads of Instances that reached the host since the last read began. */
  askedHost = 0

  constructor({ Ledger, Catching }: Parts = { Ledger: WriteLedger, Catching: CatchUp }) {
    const now = () => this.clock
    this.fleet.resourceVersion = '100'
    this.api = testApi(this.fleet, {
      now,
      catchUp: new Catching(new Ledger(now, { objects: 2, callers: 3 })),
    })
    this.api.host.script = request => this.#answer(request)
  }

  /** Ends what follows the fleet. */
  close(): void {
    this.api.api.endStreams()
  }

  /** A write through the API. */
  async write(user: string, verb: 'create' | 'update' | 'delete', name: string, fate: Fate = 'answered') {
    this.#fate = { user, fate }
    const path = verb === 'create' ? '/instances' : `/instances/${name}`
    const spec = { kubeconfigSecretRef: { namespace: 'fleet', name } }
    const body = {
      create: { data: { metadata: { name }, spec } },
      update: { data: JSON.stringify({ spec: { ...spec, alias: `${this.#version}` } }) },
      delete: undefined,
    }[verb]
    const method = { create: 'POST', update: 'PUT', delete: 'DELETE' }[verb]
    const { status } = await this.api.call(user, method, path, body)
    this.#fate = undefined
    return status
  }

  /** What the leader does on the host: takes an Instance on with its finalizer, or lets one go that is deleted. */
  lead(name: string): void {
    const current = this.#now(name)
    if (!current) return
    const { deletionTimestamp, finalizers } = current.metadata
    if (!deletionTimestamp)
      this.#store({ ...current, metadata: { ...current.metadata, finalizers: ['held'] } })
    else if (finalizers) this.#remove(name)
  }

  /** A write whose answer was lost is executed after all. */
  executeLate(): void {
    this.#late.shift()?.()
  }

  /** The fleet hears of the next change on the host. */
  advance(): void {
    const moment = this.#moments[this.#followed]
    if (!moment) return
    this.#followed++
    this.#show(moment)
    this.fleet.resourceVersion = String(moment.at)
  }

  /** The fleet is told that there is nothing more up to now, once it has heard of all. */
  bookmark(): void {
    if (this.#followed === this.#moments.length) this.fleet.resourceVersion = String(this.#version)
  }

  /** The fleet lists anew: it finds how things are, and nothing of how they came to be so. */
  relist(): void {
    const names = new Set(this.#moments.map(({ name }) => name))
    for (const name of names) this.#show(this.#moments.findLast(moment => moment.name === name) as Moment)
    this.#followed = this.#moments.length
    this.fleet.resourceVersion = String(this.#version)
  }

  /** Somebody else writes something else. */
  elsewhere(): void {
    this.#version++
  }

  pass(ms: number): void {
    this.clock += ms
  }

  /** Reads as a caller does. Says what is wrong with the answer; nothing if nothing is. */
  async reads(user: string, how: 'get' | 'list' | 'watch', name: string): Promise<string | undefined> {
    const floors = new Map([...this.#own].filter(([key]) => key.startsWith(`${user} `)))
    this.askedHost = 0
    const shown = await this.patiently(
      how === 'get' ? this.#get(user, name) : how === 'list' ? this.#list(user) : this.#watch(user),
    )
    if (typeof shown === 'string') {
      this.answers.push('refused')
      return shown === '503' && how === 'watch' ? undefined : `${user}'s ${how} is answered ${shown}`
    }
    this.answers.push(this.askedHost > 0 ? 'host' : 'fleet')
    for (const [key, floor] of floors) {
      const of = key.slice(user.length + 1)
      if (how === 'get' && of !== name) continue
      const version = shown.get(of)
      const isFine =
        version === undefined
          ? this.#moments.some(moment => moment.name === of && !moment.instance && moment.at >= floor)
          : version >= floor
      if (!isFine) return `${user} wrote ${of} at ${floor} and sees ${version ?? 'nothing'} by ${how}`
    }
    return undefined
  }

  /** Lets an answer come about: whatever is ready runs, others act in between, and in the end nobody waits any longer. */
  async patiently<T>(answer: Promise<T>): Promise<T> {
    let over = false
    const done = () => {
      over = true
    }
    answer.then(done, done)
    for (let turn = 0; turn < 12 && !over; turn++) {
      await new Promise(setImmediate)
      if (!over && turn % 3 === 2) this.meanwhile()
    }
    if (!over) {
      this.pass(3_000)
      vi.advanceTimersByTime(3_000)
    }
    return answer
  }

  async #get(user: string, name: string): Promise<Shown | string> {
    const { status, json } = await this.api.call(user, 'GET', `/instances/${name}`)
    if (status === 404) return new Map()
    return status === 200 ? new Map([versionOf(json)]) : String(status)
  }

  async #list(user: string): Promise<Shown | string> {
    const { status, json } = await this.api.call(user, 'GET', '/instances?pageSize=10&page=1')
    return status === 200 ? new Map(json.items.map(versionOf)) : String(status)
  }

  /** What a stream shows at its start. */
  async #watch(user: string): Promise<Shown | string> {
    const { response, next, cancel } = await open(this.api, user, '/instances:watch')
    const shown = new Map<string, number>()
    while (response.status === 200) {
      const { type, instance } = (await next())?.data ?? { type: 'BOOKMARK' }
      if (type === 'BOOKMARK') break
      if (instance) shown.set(...versionOf(instance))
    }
    await cancel()
    return response.status === 200 ? shown : String(response.status)
  }

  #answer(request: KubeRequest): unknown {
    const [, name] = /\/instances(?:\/([^/]+))?$/.exec(request.path) ?? [undefined, undefined]
    if (!request.path.includes('kairship.io/v1alpha1/instances')) return undefined
    if (request.method === 'GET') {
      this.askedHost++
      this.meanwhile()
      if (name !== undefined) return this.#now(name) ?? notFound(name)
      const only = /^metadata\.name=(.*)$/.exec(String(request.query?.fieldSelector ?? ''))?.[1]
      const names = only === undefined ? new Set(this.#moments.map(({ name }) => name)) : [only]
      const items = [...names].flatMap(name => this.#now(name) ?? [])
      return { kind: 'InstanceList', metadata: { resourceVersion: String(this.#version) }, items }
    }
    const fated = this.#fate
    const written = name ?? (request.body as Instance).metadata.name
    const execute = () => {
      const answer = this.#execute(request, written)
      // Deleted or stored: the version is that of the name's last moment.
      if (fated) this.#own.set(`${fated.user} ${written}`, this.#version)
      return answer
    }
    if (!fated || fated.fate === 'answered') return execute()
    if (fated.fate === 'executed, not answered') execute()
    else this.#late.push(() => void attempt(execute))
    throw new UnreachableError('the connection broke', 'ECONNRESET')
  }

  #execute({ method, body }: KubeRequest, name: string): unknown {
    const current = this.#now(name)
    if (method === 'POST') {
      if (current) throw refusal(409, 'AlreadyExists', `${name} already exists`)
      const given = body as Instance
      const metadata = { ...given.metadata, uid: `uid-${++this.#uids}` }
      return this.#store({ ...given, metadata })
    }
    if (!current) return notFound(name)
    if (method === 'PATCH') return this.#store(merged(current, body) as Instance)
    if (method === 'PUT') {
      const next = body as Instance
      if (next.metadata.resourceVersion !== current.metadata.resourceVersion)
        throw refusal(409, 'Conflict', 'the object has been modified')
      return this.#store(next)
    }
    const { uid, finalizers } = current.metadata
    if (finalizers)
      return this.#store({ ...current, metadata: { ...current.metadata, deletionTimestamp: 'now' } })
    this.#remove(name)
    return { kind: 'Status', status: 'Success', details: { name, uid } }
  }

  #store(instance: Instance): Instance {
    const at = ++this.#version
    const stored = { ...instance, metadata: { ...instance.metadata, resourceVersion: String(at) } }
    this.#moments.push({ at, name: instance.metadata.name, instance: stored })
    return stored
  }

  #remove(name: string): void {
    this.#moments.push({ at: ++this.#version, name, instance: undefined })
  }

  #now(name: string): Instance | undefined {
    return this.#moments.findLast(moment => moment.name === name)?.instance
  }

  #show({ name, instance }: Moment): void {
    if (!instance) this.fleet.delete(name)
    else
      this.fleet.set({
        ...viewOf(name, instance.metadata.deletionTimestamp ? 'deleting' : 'ready'),
        instance,
      })
  }
}

const versionOf = ({ metadata }: { metadata: { name: string; resourceVersion: string } }) =>
  [metadata.name, Number(metadata.resourceVersion)] as const

function notFound(name: string): never {
  throw refusal(404, 'NotFound', `instances.kairship.io "${name}" not found`)
}

function attempt(what: () => unknown): void {
  try {
    what()
  } catch {
    // It was refused by then, and nobody is there to be told.
  }
}
