import type { MessageInitShape } from '@bufbuild/protobuf'
import { without } from '../../../karmada/without.js'
import type { KubeObject, ObjectMeta } from '../../../manifests/kube.js'
import { SecretSchema } from '../../../proto/gen/kairship/core_pb.js'
import type { Place } from '../../objects/object-type.js'
import { clusterSummaries, type Distribution } from '../distribution/distribution.js'
import { DISTRIBUTED } from '../distribution/follow-distributed.js'
import type { Kind } from '../kind/kind-handlers.js'
import { kubeMessage } from '../kind/kube-message.js'
import { objectMeta } from '../kind/object-meta.js'
import { SECRET } from '../kind/object-types.js'

/** v1 Secret. */
export interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}

type SecretMessage = MessageInitShape<typeof SecretSchema>

/** Secrets with their values, for a get of one Secret. */
export const secrets: Kind<Secret, SecretMessage, Distribution | undefined> = {
  type: SECRET,
  message: secretMessage,
  ...DISTRIBUTED,
}

/** Secrets as lists show them. */
export const listedSecrets: typeof secrets = {
  ...secrets,
  message: (secret, place, distribution) => secretMessage(withoutValues(secret), place, distribution),
}

/** What `kubectl apply` leaves on an object: the manifest, with the values of a Secret. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Metadata without the copy of the manifest. */
export function withoutLastApplied(metadata: ObjectMeta): ObjectMeta {
  const { annotations } = metadata
  return annotations ? { ...metadata, annotations: without(annotations, [LAST_APPLIED]) } : metadata
}

/** Whether an object of any type is a Secret. */
export const isSecret = ({ apiVersion, kind }: KubeObject): boolean =>
  apiVersion === 'v1' && kind === 'Secret'

/** @param distribution absent for a Secret of a member cluster */
export function secretMessage(secret: Secret, place: Place, distribution?: Distribution): SecretMessage {
  return {
    ...kubeMessage(SecretSchema, secret),
    metadata: objectMeta(secret, place),
    status: { clusters: distribution ? clusterSummaries(distribution) : [] },
  }
}

/** A Secret without anything secret, for lists: its keys with empty values, and no copy of its manifest. */
export function withoutValues(secret: Secret): Secret {
  const { data, metadata, ...rest } = without(secret, ['stringData']) as Secret
  return {
    ...rest,
    metadata: withoutLastApplied(metadata),
    ...(data && { data: Object.fromEntries(Object.keys(data).map(key => [key, ''])) }),
  }
}
