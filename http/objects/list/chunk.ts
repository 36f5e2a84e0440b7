import { setImmediate as nextTurn } from 'node:timers/promises'
import type { KubeList, KubeObject } from '../../../manifests/kube.js'
import type { AnsweredFrom } from '../../call/answered-from.js'
import { badGateway, Failure, failedPrecondition } from '../../errors/failure.js'
import type { AnswerReading } from '../../limits/answer-memory.js'
import type { ReadRules } from '../../proxy/proxy-request.js'
import { karmada } from '../../proxy/route/route.js'
import type { ListQuery } from '../list-query.js'
import { apiVersionOf, collectionPath, type ObjectType } from '../object-type.js'
import { type Answer, jsonOf, sourceOfAnswer } from '../requests/answer.js'
import type { Listing } from './listing.js'
import { MOST_BYTES, MOST_OBJECTS } from './select.js'

/** Objects that are read at once: as many as kubectl and informers ask for. */
const CHUNK = 500

/** A part of a list as one answer has it. */
export interface Chunk<T> {
  readonly resourceVersion: string
  readonly items: readonly T[]
  readonly next: string | undefined
  /** How many more match; absent where it was not said. */
  readonly remaining: number | undefined
  readonly bytes: number
  readonly answered: AnsweredFrom
}

/** Reads one chunk of a list. */
export type Read<T> = (next: string | undefined, rules: ReadRules) => Promise<Chunk<T>>

/** What has begun with the instance is continued there. */
export const NOT_THE_INDEX: ReadRules = {
  target: '',
  route: () => karmada(['ContinueToken', () => true, 'it continues a list of the instance']),
}
/** Where an answer does not say it. */
export const UNCOUNTED: AnsweredFrom = {
  source: 'karmada',
  reason: 'IndexFailed',
  warning: 'answered by Karmada: the index did not say how many objects there are',
}

/** Reads one chunk, from the index where the rules say so. @throws Failure FAILED_PRECONDITION for one that is too large */
export async function readChunk<T extends KubeObject>(
  { requests, call, place, type, query }: Listing<T>,
  next: string | undefined,
  rules: ReadRules,
  reading: AnswerReading,
  version?: string,
): Promise<Chunk<T>> {
  const { labelSelector, fieldSelector } = query
  const request = {
    method: 'GET',
    path: collectionPath(place, type, query.namespace),
    query: {
      ...{ limit: CHUNK, labelSelector, fieldSelector, continue: next },
      ...(version && { resourceVersion: version, resourceVersionMatch: 'Exact' }),
    },
  } as const
  const answer = await requests
    .send(call, place.instance, request, { most: MOST_BYTES, rules, reading })
    .catch(error => {
      throw error instanceof Failure && error.details.reason === 'AnswerTooLarge'
        ? tooMany(type, query)
        : error
    })
  // Pages of several lists may be here at once: others are served between two of them.
  await nextTurn()
  const { items, metadata } = listOf<T>(answer, type)
  return {
    items,
    resourceVersion: metadata?.resourceVersion ?? '',
    next: metadata?.continue || undefined,
    remaining: Number.isSafeInteger(metadata?.remainingItemCount) ? metadata?.remainingItemCount : undefined,
    bytes: answer.body.length,
    answered: sourceOfAnswer(answer) ?? UNCOUNTED,
  }
}

/** A list's items as whole objects: API servers leave apiVersion and kind out there. @throws Failure UNAVAILABLE */
function listOf<T extends KubeObject>(
  answer: Answer,
  type: ObjectType,
): { readonly items: readonly T[]; readonly metadata?: KubeList<T>['metadata'] } {
  const { items, metadata } = (jsonOf(answer) ?? {}) as Partial<KubeList<T>>
  const head = { apiVersion: apiVersionOf(type), kind: type.kind }
  // Written in Go, where a list that nothing was put into is null.
  const all = items ?? []
  if (!Array.isArray(all) || all.some(item => typeof item?.metadata?.name !== 'string'))
    throw badGateway(`the instance answered with what is no list of ${type.resource}`)
  return { items: all.map(item => ({ ...head, ...item })), ...(metadata && { metadata }) }
}

/** The refusal of a list that is sorted or followed here, with what to narrow. */
export const tooMany = ({ resource }: ObjectType, { namespace, labelSelector }: ListQuery<never>) => {
  const what = `there are more than ${MOST_OBJECTS} ${resource} or ${MOST_BYTES >> 20} MiB of them, the most that are sorted here`
  const narrower = [
    ...(namespace ? [] : ['a namespace']),
    labelSelector ? 'narrower labels' : 'a label selector',
    'a pageSize and an order that the index has',
  ]
  return failedPrecondition(`${what}: give ${narrower.join(', or ')}`, { reason: 'ListTooLarge' })
}
