import {
  concat,
  concatMap,
  defer,
  EMPTY,
  from,
  Observable,
  of,
  repeat,
  type SchedulerLike,
  throwError,
  timer,
} from 'rxjs'
import type { KubeObject } from '../../manifests/kube.js'
import type { ListWatch } from '../../streams/list-watch.js'
import type { Applied, Bookmarked, Deleted, Listed, Synced } from '../../streams/seen.js'
import { applied, bookmarked, deleted, expired, thing } from './timeline.js'

type Event = Applied<KubeObject> | Deleted<KubeObject> | Bookmarked

/** How a model server misbehaves: chances in [0, 1] per page, per event and per watch. */
export interface Temper {
  /** A request fails or a watch is cut. */
  readonly cut: number
  /** The history is forgotten. */
  readonly compact: number
  /** An event is sent again, with those before it. */
  readonly repeat: number
  /** Two events change places. */
  readonly swap: number
  /** A watch or list falls silent and its socket stays open. */
  readonly stall: number
  /** Longest pause between pages or events, ms. */
  readonly slow: number
}

export const GENTLE: Temper = { cut: 0, compact: 0, repeat: 0, swap: 0, stall: 0, slow: 5_000 }

const broken = (): Observable<never> => throwError(() => new Error('cut'))

/** A collection on an API server with history, compaction and paging, which can be made to misbehave in every known way. */
export class ModelServer {
  readonly objects = new Map<string, KubeObject>()
  temper = GENTLE
  #version = 100
  #oldest = 100
  #lives = 0
  #history: Event[] = []

  constructor(
    readonly random: () => number,
    readonly scheduler: SchedulerLike,
  ) {}

  /** Creates, changes, deletes, or deletes and recreates the object of that name. */
  mutate(name: string, how: 'put' | 'delete' | 'replace'): void {
    const held = this.objects.get(name)
    if (held && how !== 'put') {
      this.objects.delete(name)
      this.#history.push(deleted(name, ++this.#version, held.metadata.uid) as Event)
    }
    if (how === 'delete') return
    const uid = this.objects.get(name)?.metadata.uid ?? `life-${++this.#lives}`
    const object = thing(name, ++this.#version, uid)
    this.objects.set(name, object)
    this.#history.push(applied(name, this.#version, uid) as Event)
  }

  compact(): void {
    this.#oldest = this.#version
    this.#history = []
  }

  get listWatch(): ListWatch<KubeObject> {
    return {
      name: 'things.test',
      list: ({ whole }) => defer(() => this.#list(whole)),
      watch: cursor => defer(() => this.#watch(Number(cursor))),
    }
  }

  #list(whole: boolean): Observable<Listed<KubeObject> | Synced> {
    const version = this.#version
    const objects = [...this.objects.values()]
    const size = whole ? Math.max(1, objects.length) : 2
    const pages = Array.from({ length: Math.max(1, Math.ceil(objects.length / size)) }, (_, page) =>
      this.#later(() => {
        if (page > 0 && version < this.#oldest) return throwError(() => expired('continue token expired'))
        return of<Listed<KubeObject>>({
          type: 'listed',
          objects: objects.slice(page * size, (page + 1) * size),
        })
      }),
    )
    return concat(...pages, of<Synced>({ type: 'synced', cursor: String(version) }))
  }

  #watch(cursor: number): Observable<Event> {
    if (cursor < this.#oldest) return throwError(() => expired())
    const after = (version: number) => this.#history.filter(event => Number(event.cursor) > version)
    let at = cursor
    let closed = false
    const close = () => {
      closed = this.random() < 0.5
      return closed ? EMPTY : broken()
    }
    const poll = defer(() =>
      this.#later(() => {
        if (at < this.#oldest && this.#version > at) return throwError(() => expired())
        const news = this.#disturbed(after(at), at)
        at = Math.max(at, ...news.map(event => Number(event.cursor)))
        return from(news)
      }, close),
    )
    return poll.pipe(repeat({ delay: () => (closed ? EMPTY : of(undefined)) }))
  }

  /** The same events as a confused server might send them; nothing is left out. */
  #disturbed(news: Event[], version: number): Event[] {
    const { repeat, swap } = this.temper
    if (news.length === 0)
      return this.random() < 0.05 ? [bookmarked(Math.max(version, this.#version)) as Event] : []
    if (news.length > 1 && this.random() < swap) return [...news].reverse()
    return this.random() < repeat ? [...news, ...news] : news
  }

  /** After a pause of any length: goes on, is cut, stalls for ever, or forgets its history. */
  #later<E>(next: () => Observable<E>, end: () => Observable<E> = broken): Observable<E> {
    return timer(50 + this.random() * this.temper.slow, this.scheduler).pipe(
      concatMap(() => {
        const { cut, compact, stall } = this.temper
        if (this.random() < compact) this.compact()
        if (this.random() < stall) return new Observable<E>(() => undefined)
        if (this.random() < cut) return end()
        return next()
      }),
    )
  }
}
