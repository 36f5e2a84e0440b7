import type { MessageInitShape } from '@bufbuild/protobuf'
import { executionNamespace } from '../../../karmada/names.js'
import type { Work } from '../../../karmada/objects/work.js'
import type { KubeObject } from '../../../manifests/kube.js'
import {
  type ManifestReferenceSchema,
  type WorkSchema,
  WorkSpecSchema,
  WorkStatusSchema,
} from '../../../proto/gen/kairship/propagation_pb.js'
import { SortBy } from '../../../proto/gen/kairship/types_pb.js'
import type { Place } from '../../objects/object-type.js'
import { isSecret, type Secret, withoutLastApplied, withoutValues } from '../core/secret.js'
import type { Kind } from '../kind/kind-handlers.js'
import { kubeMessage } from '../kind/kube-message.js'
import { metadataMessage } from '../kind/object-meta.js'
import { WORK } from '../kind/object-types.js'

type WorkMessage = MessageInitShape<typeof WorkSchema>
type Manifest = Work['spec']['workload']['manifests'][number]
type ManifestReference = MessageInitShape<typeof ManifestReferenceSchema>

/** Works. */
export const works: Kind<Work, WorkMessage> = {
  type: WORK,
  message: workMessage,
  sort: { [SortBy.cluster]: targetOf },
}

export function workMessage(work: Work, place: Place): WorkMessage {
  const { spec, status } = work
  return {
    metadata: metadataMessage(withoutLastApplied(work.metadata), place.cluster),
    targetCluster: targetOf(work),
    spec: { ...kubeMessage(WorkSpecSchema, spec), manifests: manifestsOf(work).map(referenceOf) },
    status: {
      ...kubeMessage(WorkStatusSchema, status),
      manifestStatuses: (status?.manifestStatuses ?? []).map(({ identifier, status: reported, health }) => ({
        object: {
          apiVersion: identifier.group ? `${identifier.group}/${identifier.version}` : identifier.version,
          kind: identifier.kind,
          namespace: identifier.namespace ?? '',
          name: identifier.name,
        },
        status: reported ? JSON.stringify(reported) : '',
        health: health ?? '',
      })),
    },
  }
}

/** The cluster of a Work's namespace; empty where that is not the namespace of a cluster. */
function targetOf({ metadata: { namespace = '' } }: KubeObject): string {
  const prefix = executionNamespace('')
  return namespace.startsWith(prefix) ? namespace.slice(prefix.length) : ''
}

const manifestsOf = ({ spec }: Work): readonly Manifest[] => spec.workload?.manifests ?? []

const referenceOf = ({ apiVersion, kind, metadata }: Manifest): ManifestReference => ({
  apiVersion,
  kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
})

/** What lists of Works are filtered by. Empty texts mean any. */
export interface WorkFilter {
  readonly kind: string
  readonly kindName: string
  readonly kindNamespace: string
}

/** Whether one manifest of a Work is all that is wanted. */
export const carries =
  ({ kind, kindName, kindNamespace }: WorkFilter) =>
  (work: Work): boolean =>
    manifestsOf(work).some(
      manifest =>
        (!kind || manifest.kind === kind) &&
        (!kindName || manifest.metadata.name === kindName) &&
        (!kindNamespace || manifest.metadata.namespace === kindNamespace),
    )

/**
 * A Work whose Secrets have their keys and no values, and which has no copy of its own manifest, where they are too: a reader of a Work
 * did not ask for those.
 */
export function withoutSecretValues(work: Work): Work {
  const manifests = manifestsOf(work).map(manifest =>
    isSecret(manifest) ? withoutValues(manifest as Secret) : manifest,
  ) as readonly Manifest[]
  return {
    ...work,
    metadata: withoutLastApplied(work.metadata),
    spec: { ...work.spec, workload: { ...work.spec.workload, manifests } },
  }
}

/** An object of any type as its readers see it: Works, of any version, carry the Secrets that they put into members. */
export const readable = (object: KubeObject): KubeObject =>
  isOfWorks(object.apiVersion) && object.kind === works.type.kind
    ? withoutSecretValues(object as Work)
    : object

const isOfWorks = (apiVersion: string): boolean => apiVersion.startsWith(`${works.type.group}/`)
