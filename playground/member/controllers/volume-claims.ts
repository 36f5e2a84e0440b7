import type { KubeObject } from '../../../manifests/kube.js'
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '../../objects/core-types.js'
import type { PersistentVolumeClaim } from '../workloads.js'
import type { Plan, World } from './plan.js'
import { note } from './pods.js'

/** The StorageClass of a member: claims are bound at once, to volumes that nothing is written to. */
export const STORAGE_CLASS: KubeObject = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'playground.kairship.io/simulated',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
} as KubeObject

interface Volume extends KubeObject {
  readonly spec: {
    readonly claimRef?: { readonly uid?: string }
    readonly persistentVolumeReclaimPolicy?: string
  }
}

/** Provisions a volume for each claim of a class that is here, and binds the two. */
export function planClaim(claim: PersistentVolumeClaim, world: World): Plan {
  const { spec, status, metadata } = claim
  if (metadata.deletionTimestamp || status?.phase === 'Bound') return {}
  const className = spec.storageClassName ?? STORAGE_CLASS.metadata.name
  const storage = world.get<KubeObject>(STORAGE_CLASSES, className)
  // Of no class, or of one without a provisioner: it waits for a volume that is created by hand.
  if (className === '' || !storage) return { status: { phase: 'Pending' } }
  const name = `pvc-${metadata.uid}`
  const capacity = { storage: spec.resources?.requests?.storage ?? '1Gi' }
  const phase = { phase: 'Bound', accessModes: spec.accessModes ?? [], capacity }
  if (spec.volumeName) return { status: phase }
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name,
      annotations: { 'pv.kubernetes.io/provisioned-by': 'playground.kairship.io/simulated' },
    },
    spec: {
      capacity,
      accessModes: spec.accessModes ?? [],
      volumeMode: spec.volumeMode ?? 'Filesystem',
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: className,
      hostPath: { path: `/simulated/${name}` },
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: metadata.namespace,
        name: metadata.name,
        uid: metadata.uid,
      },
    },
  }
  const bound = { ...claim, spec: { ...spec, storageClassName: className, volumeName: name } }
  return {
    changes: [
      ...(world.get(PERSISTENT_VOLUMES, name)
        ? []
        : [{ create: PERSISTENT_VOLUMES, object: volume as unknown as KubeObject }]),
      { update: PERSISTENT_VOLUME_CLAIMS, object: bound },
    ],
    status: phase,
    notes: [note('ProvisioningSucceeded', `Successfully provisioned volume ${name}`)],
  }
}

/** A volume is bound to its claim; when that is gone it goes as well, or is `Released` where it is to be kept. */
export function planVolume(volume: Volume, world: World): Plan {
  const { claimRef, persistentVolumeReclaimPolicy } = volume.spec
  if (!claimRef) return { status: { phase: 'Available' } }
  const claims = world.all<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS)
  if (claims.some(({ metadata }) => metadata.uid === claimRef.uid)) return { status: { phase: 'Bound' } }
  if (persistentVolumeReclaimPolicy === 'Delete' && !volume.metadata.deletionTimestamp)
    return { changes: [{ remove: PERSISTENT_VOLUMES, object: volume }] }
  return { status: { phase: 'Released' } }
}
