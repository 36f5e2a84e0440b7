import type { Instance } from '../../proto/gen/kairship/instance_pb.js'

/** The known versions of Karmada and Kubernetes. */
export const versionsOf = ({ status }: Instance): string =>
  [status?.karmadaVersion, status?.kubernetesVersion].filter(version => version).join(' · ')

/** The same versions with the products' names. */
export const namedVersionsOf = ({ status }: Instance): string =>
  [
    status?.karmadaVersion && `Karmada ${status.karmadaVersion}`,
    status?.kubernetesVersion && `Kubernetes ${status.kubernetesVersion}`,
  ]
    .filter(version => version)
    .join(' · ')
