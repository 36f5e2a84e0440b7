import type { KubeObject } from '../../../manifests/kube.js'
import { ListChange_Type, type SortBy } from '../../../proto/gen/kairship/types_pb.js'
import type { Call } from '../../call/call.js'
import type { ListQuery } from '../../objects/list-query.js'
import { manifestOf, patchOf } from '../../objects/manifest.js'
import type { ObjectType, Place } from '../../objects/object-type.js'
import type { ListStep, ObjectCall, ObjectEvent, Objects } from '../../objects/objects.js'
import { inBatches } from './in-batches.js'
import { inField } from './in-field.js'
import { PageTokens, type Pagination } from './page-token.js'
import {
  type KeyFields,
  type ListFields,
  listQueryOf,
  objectKeyOf,
  type PlaceFields,
  placeOf,
  type WatchFields,
} from './request-fields.js'
import { type Marks, marksOf, resumeTokenOf, streamDigest } from './resume-token.js'

/**
 * A kind of Kubernetes objects as one row: all that the handlers of its list, get, json, create, update, patch and delete
 * derive from.
 */
export interface Kind<T extends KubeObject, M, E = undefined> {
  readonly type: ObjectType
  /** The message of an object; pure. */
  readonly message: (object: T, place: Place, extra: E) => M
  /** Keys to sort by beyond name, namespace and creation; one that is not here sorts by name. */
  readonly sort?: Partial<Record<SortBy, (object: T) => string>>
  /**
   * What messages show that is not in their objects, such as the distribution over members. Called once per page, before
   * its messages are made; returns the extra of each object.
   */
  readonly extras?: (
    objects: Objects,
    call: Call,
    place: Place,
    items: readonly T[],
  ) => Promise<(object: T) => E>
  /**
   * The same of a list that is followed: also a change of an extra is one of its object. Where it is absent, and in members,
   * `extras` is called for the list, in batches, and then for each change.
   */
  readonly follow?: (
    objects: Objects,
    call: ObjectCall,
    followed: Followed<T, E>,
  ) => AsyncIterable<FollowedEvent<T, E>>
}

/** A list that is followed with the extras of its objects. */
export interface Followed<T extends KubeObject, E> {
  readonly place: Place
  readonly type: ObjectType
  readonly query: ListQuery<T>
  /** The condition that depends on the extra, such as that of a state. */
  readonly matches?: (object: T, extra: E) => boolean
  /** The states to go on after. */
  readonly since?: Marks
}

/** One step of a list that is followed with the extras of its objects. */
export type FollowedEvent<T extends KubeObject, E> = ListStep<T> & {
  readonly extra?: E
  /** The states after the step; absent where a stream cannot go on after it. */
  readonly marks?: Marks
  /** A reader who goes on has received it before. */
  readonly known?: true
}

/** One step of a list that is followed, as its readers receive it. */
export interface ListMessage<M> {
  readonly type: ListChange_Type
  readonly total: number
  readonly message?: M
  readonly resumeToken: string
}

/** The handlers of one kind. */
export interface KindHandlers<T extends KubeObject, M, E = never> {
  /**
   * @param more conditions that the request has beyond those of every list
   * @param whole the request as it came, where `request` lacks some of its fields: page tokens are of all of them
   */
  list(
    request: ListFields,
    call: Call,
    more?: Partial<ListQuery<T>>,
    whole?: object,
  ): Promise<{ items: M[]; pagination: Pagination }>
  /**
   * Follows a list; the row of an additional rpc, which puts the message into its own field. It goes on after the request's
   * token where that is possible, and then begins with a BOOKMARK.
   * @param matches the condition that depends on the extra; undefined for all
   */
  watch(
    request: WatchFields,
    call: Call,
    more?: Partial<ListQuery<T>>,
    matches?: (object: T, extra: E) => boolean,
  ): AsyncIterable<ListMessage<M>>
  get(request: KeyFields, call: Call): Promise<M>
  json(request: KeyFields, call: Call): Promise<{ data: string }>
  create(
    request: PlaceFields & { readonly namespace?: string; readonly data: string },
    call: Call,
  ): Promise<{ data: string }>
  update(request: KeyFields & { readonly data: string }, call: Call): Promise<{ data: string }>
  patch(request: KeyFields & { readonly data: string }, call: Call): Promise<{ data: string }>
  remove(request: KeyFields, call: Call): Promise<Record<string, never>>
}

/**
 * Derives the handlers of a kind from its row. They work in an instance, and where the request has a `cluster` in that member
 * of it. Requests with `namespace: ''` are about all namespaces.
 */
export function kindHandlers<T extends KubeObject, M, E = undefined>(
  objects: Objects,
  kind: Kind<T, M, E>,
): KindHandlers<T, M, E> {
  const { type } = kind
  const messages = async (call: Call, place: Place, items: readonly T[]): Promise<M[]> => {
    const extraOf = await kind.extras?.(objects, call, place, items)
    return items.map(item => kind.message(item, place, extraOf?.(item) as E))
  }
  return {
    async list(request, call, more = {}, whole = request) {
      const place = placeOf(request)
      const tokens = new PageTokens({ ...request, ...whole }, call, [type, more.names])
      const query = { ...listQueryOf(kind, request), ...tokens.request, ...more }
      const page = await objects.list<T>(call, place, type, query)
      return { items: await messages(call, place, page.items), pagination: tokens.pagination(page) }
    },

    async *watch(request, call, more = {}, matches) {
      const place = placeOf(request)
      const query = { ...listQueryOf(kind, { ...request, page: 1, pageSize: 0 }), ...more }
      const stream = streamDigest([type, request, more, call.caller.user])
      const since = marksOf(request.resumeToken, stream)
      const isFollowed = kind.follow && place.cluster === undefined
      const events: AsyncIterable<FollowedEvent<T, E>> = isFollowed
        ? kind.follow(objects, call, {
            ...{ place, type, query },
            ...(matches && { matches }),
            ...(since && { since }),
          })
        : withMarks(
            objects.watch<T>(call, place, type, withCondition(query, matches), since?.[0] ?? undefined),
          )
      // What completes a message says nothing of where the list is from.
      const quiet = { ...call, answered: () => undefined }
      const messagesOf = async (
        steps: readonly FollowedEvent<T, E>[],
      ): Promise<readonly (M | undefined)[]> => {
        if (isFollowed)
          return steps.map(step =>
            'object' in step ? kind.message(step.object, place, step.extra as E) : undefined,
          )
        const items = steps.flatMap(step => ('object' in step ? [step.object] : []))
        const made = (await messages(quiet, place, items)).values()
        return steps.map(step => ('object' in step ? made.next().value : undefined))
      }
      for await (const steps of inBatches(events)) {
        const made = await messagesOf(steps)
        for (const [index, { type, total, marks }] of steps.entries()) {
          const message = made[index]
          const resumeToken = marks ? resumeTokenOf(stream, marks) : ''
          yield { type: ListChange_Type[type], total, resumeToken, ...(message !== undefined && { message }) }
        }
      }
    },

    async get(request, call) {
      const place = placeOf(request)
      const object = await objects.get<T>(call, place, type, objectKeyOf(request))
      const [message] = await messages(call, place, [object])
      return message as M
    },

    async json(request, call) {
      return dataOf(await objects.get(call, placeOf(request), type, objectKeyOf(request)))
    },

    async create(request, call) {
      const { namespace, data } = request
      const object = manifestOf(data, { type, ...(namespace && { namespace }) })
      call.about(object.metadata)
      return dataOf(await inField('data', objects.create(call, placeOf(request), type, object)))
    },

    async update(request, call) {
      const object = manifestOf(request.data, { type, ...objectKeyOf(request) })
      return dataOf(await inField('data', objects.update(call, placeOf(request), type, object)))
    },

    async patch(request, call) {
      const body = patchOf(request.data)
      const patch = { type: 'application/merge-patch+json', body } as const
      const patched = objects.patch(call, placeOf(request), type, objectKeyOf(request), patch)
      return dataOf(await inField('data', patched))
    },

    async remove(request, call) {
      await objects.remove(call, placeOf(request), type, objectKeyOf(request))
      return {}
    },
  }
}

async function* withMarks<T extends KubeObject>(
  events: AsyncIterable<ObjectEvent<T>>,
): AsyncGenerator<FollowedEvent<T, never>, void> {
  for await (const { mark, ...event } of events) yield { ...event, ...(mark && { marks: [mark] }) }
}

/** Where there are no extras, as in members, a condition is one on the object. */
function withCondition<T extends KubeObject, E>(
  query: ListQuery<T>,
  matches: ((object: T, extra: E) => boolean) | undefined,
): ListQuery<T> {
  const { where = () => true } = query
  return matches ? { ...query, where: object => where(object) && matches(object, undefined as E) } : query
}

/** An object as editors show it: whole, but for the record of who wrote which field. */
export function dataOf(object: KubeObject): { data: string } {
  const { managedFields: _, ...metadata } = object.metadata
  return { data: JSON.stringify({ ...object, metadata }) }
}
