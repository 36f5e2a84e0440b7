import type { Instance } from '../../proto/gen/kairship/instance_pb.js'

/** Karmada's and Kubernetes' versions, those that are known. */
export const versionsOf = ({ status }: Instance): string =>
  [status?.karmadaVersion, status?.kubernetesVersion].filter(version => version).join(' · ')
