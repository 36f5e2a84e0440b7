import type { KubeObject } from '../../../manifests/kube.js'
import type { ListQuery } from '../list-query.js'
import type { ObjectType, Place } from '../object-type.js'
import type { ObjectCall } from '../objects.js'
import type { ObjectRequests } from '../requests/object-requests.js'

/** What is listed or followed, and for whom. */
export interface Listing<T extends KubeObject> {
  readonly requests: ObjectRequests
  readonly call: ObjectCall
  readonly place: Place
  readonly type: ObjectType
  readonly query: ListQuery<T>
}
