import { type JsonObject, objectAt, stringAt } from '../../apimachinery/json.js'
import { SIGNING_REQUESTS } from '../access/certificates.js'
import type { User } from '../access/user.js'
import { forbidden, notFound } from '../api-status.js'
import type { Target, WriteOptions } from '../operations/target.js'
import { refuseEscalation } from './escalation.js'
import { refuse } from './webhooks.js'

/** What the admission chain of a kube-apiserver does to a new object before its registry validates it. */
export function admitCreate(target: Target, object: JsonObject, options: WriteOptions): JsonObject {
  admitNamespace(target, stringAt(object, 'metadata', 'name'))
  refuseEscalation(target, object, options.user)
  const admitted = target.type.collection === SIGNING_REQUESTS ? requestedBy(object, options.user) : object
  return target.cluster.webhooks?.mutate(admitted) ?? admitted
}

/** What the webhooks of a cluster make of a changed object; what is being deleted is left alone. */
export function admitUpdate(target: Target, wanted: JsonObject, old: JsonObject): JsonObject {
  if (target.subresource !== '' || stringAt(old, 'metadata', 'deletionTimestamp') !== '') return wanted
  return target.cluster.webhooks?.mutate(wanted, old) ?? wanted
}

/** What the validating webhooks of a cluster say of an object that its registry has accepted; they are not called for statuses. */
export function admitWrite({ cluster, subresource }: Target, object: JsonObject, old?: JsonObject): void {
  if (subresource === '') refuse(cluster.webhooks?.validate(object, old))
}

/** What the validating webhooks of a cluster say of a deletion. */
export const admitDeletion = ({ cluster }: Target, object: JsonObject): void =>
  refuse(cluster.webhooks?.validateDeletion(object))

/** Who asks for a certificate is the server's word, never the request's. */
function requestedBy(request: JsonObject, { name, uid, groups, extra }: User): JsonObject {
  const { username: _n, uid: _u, groups: _g, extra: _e, ...spec } = objectAt(request, 'spec')
  const asker = {
    username: name,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra: extra as JsonObject }),
  }
  return { ...request, spec: { ...spec, ...asker } }
}

/** NamespaceLifecycle: nothing is created in a namespace that is absent or going away. */
function admitNamespace({ cluster, definition, namespace, qualified }: Target, name: string): void {
  if (!definition.namespaced) return
  const holder = cluster.collection('namespaces').get(namespace)
  if (!holder) throw notFound({ group: '', resource: 'namespaces' }, namespace)
  if (!holder.isTerminating) return
  const refusal = `unable to create new content in namespace ${namespace} because it is being terminated`
  const error = forbidden(qualified, name, refusal)
  const causes = [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]
  Object.assign(error.status.details ?? {}, { causes })
  throw error
}
