import type { KubeObject } from '../../manifests/kube.js'
import { isConflict } from '../../manifests/status-error.js'
import { WRITE_QUERY } from '../call/write-query.js'
import { badGateway, invalidFields } from '../errors/failure.js'
import { listAcross } from './list/list-across.js'
import { listObjects } from './list/list-objects.js'
import { collectionPath, keyOf, type ObjectType, objectPath, type Place } from './object-type.js'
import type { ObjectCall, Objects, RemoveOptions, WriteOptions } from './objects.js'
import { type Answer, jsonOf, sourceOfAnswer } from './requests/answer.js'
import { type ObjectRequestOptions, ObjectRequests } from './requests/object-requests.js'
import { typeOf, typeOfResource } from './requests/type-of.js'
import { sideCall } from './side-call.js'
import { changesFromNow } from './watch/changes-from-now.js'
import { watchObjects } from './watch/watch-objects.js'

/** How often an unconditional update reads again an object that was changed in between. */
const MOST_UPDATES = 5

const PODS: ObjectType = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true }

/** Objects of instances over the proxy's own parts. */
export function objectsOf(options: ObjectRequestOptions): Objects {
  const requests = new ObjectRequests(options)

  const get: Objects['get'] = async (call, place, type, key) => {
    const answer = await requests.send(call, place.instance, {
      method: 'GET',
      path: objectPath(place, type, key),
    })
    const object = objectOf(answer, type)
    const from = sourceOfAnswer(answer)
    if (from) call.answered(from)
    return object as never
  }

  const replace = async <T extends KubeObject>(
    call: ObjectCall,
    place: Place,
    type: ObjectType,
    object: T,
    { dryRun = false }: WriteOptions,
  ): Promise<T> => {
    const path = objectPath(place, type, keyOf(object))
    const query = { ...WRITE_QUERY, ...(dryRun && { dryRun: 'All' }) }
    const request = { method: 'PUT', path, query, body: object } as const
    return objectOf(await requests.send(call, place.instance, request), type) as T
  }

  return {
    typeOf: (call, place, apiVersion, kind) => typeOf(requests, call, place, apiVersion, kind),
    typeOfResource: (call, place, resource) => typeOfResource(requests, call, place, resource),
    get,

    async list(call, place, type, query) {
      const page = await listObjects({ requests, call, place, type, query })
      call.answered(page.answered)
      return page
    },

    listAcross: (call, request) => listAcross(requests, call, request),

    watch: (call, place, type, query, since) => watchObjects({ requests, call, place, type, query }, since),

    changes: (call, place, type, query) =>
      changesFromNow({ requests, call, place, type, query: { ...query, page: 1, pageSize: 0 } }),

    log(call, place, pod, { follow = false, previous = false, ...rest }) {
      const path = objectPath(place, PODS, pod, 'log')
      const query = {
        ...rest,
        timestamps: 'true',
        ...(follow && { follow: 'true' }),
        ...(previous && { previous: 'true' }),
      }
      const request = { method: 'GET', path, query, maySayNothing: follow } as const
      return requests.stream(call, place.instance, request, () => undefined)
    },

    async create(call, place, type, object, { dryRun = false } = {}) {
      const { namespace = '' } = object.metadata
      if (type.namespaced && namespace === '') throw missing('metadata.namespace')
      const path = collectionPath(place, type, namespace)
      const query = { ...WRITE_QUERY, ...(dryRun && { dryRun: 'All' }) }
      const request = { method: 'POST', path, query, body: object } as const
      return objectOf(await requests.send(call, place.instance, request), type) as never
    },

    async update(call, place, type, object, options = {}) {
      if (object.metadata.resourceVersion) return replace(call, place, type, object, options)
      // An API server demands the version for custom types, so the newest is read; of what was never there, it says so itself.
      for (let attempt = 1; ; attempt += 1) {
        const current = await get(sideCall(call), place, type, keyOf(object))
        const { resourceVersion } = current.metadata
        const metadata = { ...object.metadata, ...(resourceVersion && { resourceVersion }) }
        try {
          return await replace(call, place, type, { ...object, metadata }, options)
        } catch (error) {
          if (!isConflict(error) || attempt >= MOST_UPDATES) throw error
        }
      }
    },

    async patch(call, place, type, key, { type: contentType, body, subresource, dryRun = false }) {
      const path = objectPath(place, type, key, subresource)
      const query = {
        ...WRITE_QUERY,
        ...(contentType === 'application/apply-patch+yaml' && { force: 'true' }),
        ...(dryRun && { dryRun: 'All' }),
      }
      const request = { method: 'PATCH', path, query, body, contentType } as const
      const answered = subresource === 'scale' ? { ...type, kind: 'Scale' } : type
      return objectOf(await requests.send(call, place.instance, request), answered) as never
    },

    async remove(call, place, type, key, options = {}) {
      const path = objectPath(place, type, key)
      const request = { method: 'DELETE', path, body: deleteOptions(options) } as const
      jsonOf(await requests.send(call, place.instance, request))
    },
  }
}

function deleteOptions({
  propagationPolicy = 'Background',
  dryRun = false,
  ...preconditions
}: RemoveOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy,
    // An API server reads these options from the query of a DELETE only where it has no body.
    ...(dryRun && { dryRun: ['All'] }),
    ...(Object.keys(preconditions).length > 0 && { preconditions }),
  }
}

/** @throws StatusError for a refusal; Failure UNAVAILABLE for what is no object of the type */
function objectOf(answer: Answer, { kind }: ObjectType): KubeObject {
  const object = jsonOf(answer) as Partial<KubeObject> | null
  if (object?.kind === kind && typeof object.metadata?.name === 'string') return object as KubeObject
  throw badGateway(`the instance answered ${answer.status} with what is no ${kind}`)
}

const missing = (field: string) => invalidFields([{ field, description: 'is required' }])
