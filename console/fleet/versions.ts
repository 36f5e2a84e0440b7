import type { Instance } from '../../proto/gen/kairship/instance_pb.js'

/** Karmada's and Kubernetes' versions, those that are known. */
export const versionsOf = ({ status }: Instance): string =>
  [status?.karmadaVersion, status?.kubernetesVersion].filter(version => version).join(' · ')

/** The same, each with the name of what it is of. */
export const namedVersionsOf = ({ status }: Instance): string =>
  [
    status?.karmadaVersion && `Karmada ${status.karmadaVersion}`,
    status?.kubernetesVersion && `Kubernetes ${status.kubernetesVersion}`,
  ]
    .filter(version => version)
    .join(' · ')
