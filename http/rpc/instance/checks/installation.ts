import type { Instance } from '../../../../manifests/instance.js'
import { installationNamespace, KARMADAS, type Karmada } from '../../../../manifests/karmada.js'
import { resourcePath } from '../../../../manifests/kube.js'
import { isMadeFor } from '../../../../manifests/names.js'
import { isNotFound, StatusError } from '../../../../manifests/status-error.js'
import type { KubeApi } from '../../../../ports/kube-api.js'
import { alreadyExists, failedPrecondition } from '../../../errors/failure.js'
import { readSecret } from './named-secret.js'

/**
 * Checks that karmada-operator can install an Instance: the host serves its type, no other Karmada has the name, and the Secret of the cluster to
 * install on exists. One that an earlier Instance of the name left is taken over. The operator reads the Secret, and Kairship does not use it.
 * @throws Failure NoKarmadaOperator, AlreadyExists, Deleting, SecretNotFound
 */
export async function checkInstallation(
  host: Pick<KubeApi, 'request'>,
  instance: Instance,
  signal: AbortSignal,
): Promise<void> {
  const { name } = instance.metadata
  const namespace = installationNamespace(instance)
  const present = await findKarmada(host, resourcePath(KARMADAS, { namespace, name }), signal)
  if (present && !isMadeFor(present, name))
    throw alreadyExists(
      `Karmada ${namespace}/${name} exists and was not made by Kairship: choose another name or namespace`,
      { reason: 'AlreadyExists' },
    )
  if (present?.metadata.deletionTimestamp)
    throw failedPrecondition(`Karmada ${namespace}/${name} is being deleted: wait until it is gone`, {
      reason: 'Deleting',
    })
  const secretRef = instance.spec.install?.hostCluster?.secretRef
  if (secretRef) await readSecret(host, secretRef, 'data.spec.install.hostCluster.secretRef', signal)
}

async function findKarmada(
  host: Pick<KubeApi, 'request'>,
  path: string,
  signal: AbortSignal,
): Promise<Karmada | undefined> {
  try {
    return await host.request<Karmada>({ method: 'GET', path, signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (error instanceof StatusError && error.code === 404)
      throw failedPrecondition(
        'karmada-operator is not installed on the host: there is no resource karmadas.operator.karmada.io. Install it, or adopt a control plane that runs',
        { reason: 'NoKarmadaOperator' },
      )
    throw error
  }
}
