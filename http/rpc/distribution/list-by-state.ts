import type { DescEnum } from '@bufbuild/protobuf'
import type { KubeObject } from '../../../manifests/kube.js'
import { SortBy, SortDir } from '../../../proto/gen/kairship/types_pb.js'
import type { Call } from '../../call/call.js'
import { invalidFields } from '../../errors/failure.js'
import type { ListQuery } from '../../objects/list-query.js'
import type { ObjectType } from '../../objects/object-type.js'
import type { Objects } from '../../objects/objects.js'
import type { KindHandlers } from '../kind/kind-handlers.js'
import { enumOf } from '../kind/kube-message.js'
import { type ListFields, placeOf } from '../kind/request-fields.js'
import type { Distribution } from './distribution.js'
import { readAllDistributions } from './read-distributions.js'

/** How the state of a kind is computed. */
export interface States<T extends KubeObject> {
  readonly type: ObjectType
  readonly schema: DescEnum
  /** @param distribution absent for an object of a member */
  readonly of: (object: T, distribution: Distribution | undefined) => number
}

/**
 * The list handler of a kind whose state depends on its distribution: it filters by `phase` and sorts by `state`. Only then
 * are the bindings of all listed objects read, and not just those of the page.
 * @throws Failure INVALID_ARGUMENT for a phase that the kind does not have
 */
export const listByState =
  <T extends KubeObject, M>(
    objects: Objects,
    handlers: Pick<KindHandlers<T, M>, 'list'>,
    states: States<T>,
  ) =>
  async (
    request: ListFields & { readonly phase: string },
    call: Call,
    more: Partial<ListQuery<T>> = {},
  ): ReturnType<KindHandlers<T, M>['list']> => {
    const wanted = wantedState(states.schema, request.phase)
    const isSorted = request.sortBy === SortBy.state
    if (wanted === undefined && !isSorted) return handlers.list(request, call, more)
    const { namespace = '' } = request
    const distributions = await readAllDistributions(objects, call, placeOf(request), {
      kind: states.type.kind,
      namespace,
    })
    const stateOf = (object: T) => states.of(object, distributions(object))
    const nameOf = (object: T) => nameIn(states.schema, stateOf(object))
    return handlers.list(request, call, {
      ...more,
      ...(wanted !== undefined && {
        where: object => stateOf(object) === wanted && (more.where?.(object) ?? true),
      }),
      ...(isSorted && { sort: { key: nameOf, descending: request.sortDir !== SortDir.asc } }),
    })
  }

/**
 * Whether an object is in the state that a request asks for, where its list is followed; undefined for all.
 * @throws Failure INVALID_ARGUMENT for a phase that the kind does not have
 */
export function inState<T extends KubeObject>(
  states: States<T>,
  phase: string,
): ((object: T, distribution: Distribution | undefined) => boolean) | undefined {
  const wanted = wantedState(states.schema, phase)
  return wanted === undefined
    ? undefined
    : (object, distribution) => states.of(object, distribution) === wanted
}

/** The state that a request asks for, by the name that the status has for it; undefined for all. */
export function wantedState(schema: DescEnum, phase: string): number | undefined {
  if (phase === '') return undefined
  const state = enumOf(schema, phase)
  if (state) return state
  const names = schema.values.filter(({ number }) => number !== 0).map(({ name }) => name)
  throw invalidFields([
    { field: 'phase', description: `is ${JSON.stringify(phase)}, but must be one of ${names.join(', ')}` },
  ])
}

const nameIn = (schema: DescEnum, state: number): string => schema.value[state]?.name ?? ''
