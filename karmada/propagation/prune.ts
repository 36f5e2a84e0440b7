import type { Resource } from '../interpreter/workload.js'
import { without } from '../without.js'

type Fields = Readonly<Record<string, unknown>>

const METADATA = [
  ...['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'generation', 'managedFields'],
  ...['resourceVersion', 'selfLink', 'uid', 'ownerReferences', 'finalizers'],
]
const REVISIONS = ['deployment.kubernetes.io/revision', 'deployment.kubernetes.io/revision-history']
const SELECTED_NODE = 'volume.kubernetes.io/selected-node'
const ACCOUNT_UID = 'kubernetes.io/service-account.uid'
/** Labels that the Job controller gives to the pods of a Job without a selector of its own. */
const JOB_UIDS = ['controller-uid', 'batch.kubernetes.io/controller-uid']
const JOB_LABELS = [...JOB_UIDS, 'job-name', 'batch.kubernetes.io/job-name']

const byKind: Readonly<Record<string, (object: Resource) => Resource>> = {
  Deployment: object => withoutAnnotations(object, REVISIONS),
  PersistentVolumeClaim: object => withoutAnnotations(object, [SELECTED_NODE]),
  Service: object => {
    const { spec = {} } = object
    if (spec.clusterIP === undefined || spec.clusterIP === 'None') return object
    return { ...object, spec: without(spec, ['clusterIP', 'clusterIPs']) }
  },
  Job: object => {
    const { spec = {} } = object
    const kept = without(spec, ['ttlSecondsAfterFinished'])
    return { ...object, spec: spec.manualSelector === true ? kept : withoutJobLabels(kept) }
  },
  Secret: object => {
    if ((object as unknown as Fields).type !== 'kubernetes.io/service-account-token') return object
    return { ...withoutAnnotations(object, [ACCOUNT_UID]), data: null } as Resource
  },
  ServiceAccount: object => {
    const { secrets } = object as unknown as { readonly secrets?: readonly { readonly name: string }[] }
    if (!secrets) return object
    const prefix = `${object.metadata.name}-token-`
    return { ...object, secrets: withoutTokens(secrets, prefix) } as Resource
  },
}

/** Karmada passes over the one that follows a token: of two in a row the second stays. */
function withoutTokens<T extends { readonly name: string }>(
  secrets: readonly T[],
  prefix: string,
): readonly T[] {
  const kept: T[] = []
  for (let at = 0; at < secrets.length; at++) {
    const isToken = secrets[at]?.name.startsWith(prefix)
    kept.push(...secrets.slice(isToken ? at + 1 : at, isToken ? at + 2 : at + 1))
    if (isToken) at++
  }
  return kept
}

/** An object without what belongs to the API server that it came from (`prune.RemoveIrrelevantFields` of Karmada). */
export function pruned(object: Resource): Resource {
  const { status: _, ...rest } = object
  const bare = { ...rest, metadata: without(object.metadata, METADATA) } as Resource
  return byKind[object.kind]?.(bare) ?? bare
}

function withoutJobLabels(spec: Fields): Fields {
  const { selector, template } = spec as { readonly selector?: Fields; readonly template?: Fields }
  const metadata = (template?.metadata ?? {}) as Fields
  return {
    ...spec,
    ...(selector?.matchLabels !== undefined && {
      selector: { ...selector, matchLabels: without(selector.matchLabels as Fields, JOB_UIDS) },
    }),
    ...(metadata.labels !== undefined && {
      template: {
        ...template,
        metadata: { ...metadata, labels: without(metadata.labels as Fields, JOB_LABELS) },
      },
    }),
  }
}

function withoutAnnotations(object: Resource, keys: readonly string[]): Resource {
  const { annotations } = object.metadata
  if (!annotations) return object
  return { ...object, metadata: { ...object.metadata, annotations: without(annotations, keys) } }
}
