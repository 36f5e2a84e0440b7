import type { KubeObject } from '../../../manifests/kube.js'
import type { Pod } from '../../objects/core.js'
import { PERSISTENT_VOLUME_CLAIMS } from '../../objects/core-types.js'
import { type ControllerRevision, controllerReference, type StatefulSet } from '../workloads.js'
import type { Change, World } from './plan.js'
import { podOf } from './pods.js'
import { REVISION_LABEL, templateOf } from './revisions.js'

const POD_NAME = 'statefulset.kubernetes.io/pod-name'
const POD_INDEX = 'apps.kubernetes.io/pod-index'

/** The number at the end of a pod's name; -1 without one. */
export function ordinalOf({ metadata }: KubeObject): number {
  const [, number] = /-(\d+)$/.exec(metadata.name) ?? []
  return number === undefined ? -1 : Number(number)
}

export const firstOrdinal = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0

/** The pod of an ordinal, made of a revision: with its identity, and its claims as volumes. */
export function statefulPod(set: StatefulSet, ordinal: number, revision: ControllerRevision): Pod {
  const name = `${set.metadata.name}-${ordinal}`
  const pod = podOf(set, templateOf(revision), { name })
  const claims = set.spec.volumeClaimTemplates ?? []
  const claimed = new Set(claims.map(({ metadata }) => metadata.name))
  const volumes = claims.map(claim => ({
    name: claim.metadata.name,
    persistentVolumeClaim: { claimName: claimName(set, claim, ordinal), readOnly: false },
  }))
  const { name: hash } = revision.metadata
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        [POD_INDEX]: String(ordinal),
        [REVISION_LABEL]: hash,
        [POD_NAME]: name,
      },
    },
    spec: {
      ...pod.spec,
      hostname: name,
      ...(set.spec.serviceName && { subdomain: set.spec.serviceName }),
      ...((volumes.length > 0 || pod.spec?.volumes) && {
        volumes: [...volumes, ...(pod.spec?.volumes ?? []).filter(volume => !claimed.has(volume.name))],
      }),
    },
  }
}

const claimName = (set: StatefulSet, claim: KubeObject, ordinal: number): string =>
  `${claim.metadata.name}-${set.metadata.name}-${ordinal}`

/** The claims of an ordinal that are not there yet. Whose set says so owns them, and takes them along when it goes. */
export function missingClaims(set: StatefulSet, ordinal: number, world: World): readonly Change[] {
  const { namespace = '' } = set.metadata
  const labels = (set.spec.selector as { matchLabels?: Readonly<Record<string, string>> }).matchLabels
  const isOwned = set.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete'
  return (set.spec.volumeClaimTemplates ?? []).flatMap((claim): Change[] => {
    const name = claimName(set, claim, ordinal)
    if (world.get(PERSISTENT_VOLUME_CLAIMS, `${namespace}/${name}`)) return []
    const { status: _, ...rest } = claim
    const object: KubeObject = {
      ...rest,
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        ...claim.metadata,
        namespace,
        name,
        labels: { ...claim.metadata.labels, ...labels },
        ...(isOwned && { ownerReferences: [controllerReference(set)] }),
      },
    }
    return [
      {
        create: PERSISTENT_VOLUME_CLAIMS,
        object,
        noted: () => ({
          type: 'Normal',
          reason: 'SuccessfulCreate',
          message: `create Claim ${name} Pod ${set.metadata.name}-${ordinal} in StatefulSet ${set.metadata.name} success`,
        }),
      },
    ]
  })
}

/** The claims of an ordinal that scaling down takes along, where the set says so. */
export function surplusClaims(set: StatefulSet, ordinal: number, world: World): readonly Change[] {
  if (set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return []
  return (set.spec.volumeClaimTemplates ?? []).flatMap(claim => {
    const key = `${set.metadata.namespace}/${claimName(set, claim, ordinal)}`
    const object = world.get(PERSISTENT_VOLUME_CLAIMS, key)
    return object && !object.metadata.deletionTimestamp ? [{ remove: PERSISTENT_VOLUME_CLAIMS, object }] : []
  })
}
