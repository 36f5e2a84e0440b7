import type { InstanceStatus } from '../../../../manifests/instance.js'
import type { SecretReference } from '../../../../manifests/kube.js'
import { KUBECONFIG_KEY } from '../../../../manifests/kubeconfig-secret.js'
import { type KubeApi, type KubeConnector, KubeconfigError } from '../../../../ports/kube-api.js'
import type { Call } from '../../../call/call.js'
import { alreadyExists } from '../../../errors/failure.js'
import { duplicateRefusal } from '../../../instances/duplicate.js'
import type { InstanceReading, ShownInstance } from '../../../instances/instance-reading.js'
import { ControlPlaneCheck } from './control-plane.js'
import { kubeconfigIn, readSecret, secretName, unusable } from './named-secret.js'

/** What the check of an Instance that adopts depends on. */
export interface AdoptionDependencies {
  /** The host cluster under Kairship's own credential. */
  readonly host: Pick<KubeApi, 'request'>
  readonly connector: Pick<KubeConnector, 'connect'>
  readonly instances: Pick<InstanceReading, 'all'>
}

const FIELD = 'data.spec.kubeconfigSecretRef'

/**
 * Checks that a Secret holds a kubeconfig of a Karmada control plane that answers and that no other Instance manages. The kubeconfig is read by
 * the rules for those of Instances: no commands, no local files, no metadata addresses.
 * @throws Failure naming the Secret and the remedy
 */
export async function checkAdoption(
  { host, connector, instances }: AdoptionDependencies,
  call: Pick<Call, 'caller' | 'signal'>,
  reference: SecretReference,
): Promise<InstanceStatus> {
  const { signal } = call
  const kubeconfig = kubeconfigIn(await readSecret(host, reference, FIELD, signal), reference, FIELD)
  const others = await instances.all(call)
  const api = await connected(connector, kubeconfig, reference)
  try {
    refuseDuplicate(
      others.filter(one => endpointOf(one) === api.server),
      'endpoint',
      reference,
    )
    const found = await new ControlPlaneCheck(api, secretName(reference), signal).run()
    const same = others.filter(({ instance: { status } }) => status?.controlPlaneID === found.controlPlaneID)
    refuseDuplicate(same, 'control plane', reference)
    return { endpoint: api.server, ...found }
  } finally {
    await api.close()
  }
}

async function connected(
  connector: AdoptionDependencies['connector'],
  kubeconfig: string,
  reference: SecretReference,
): Promise<KubeApi> {
  try {
    return await connector.connect(kubeconfig)
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error
    const { key = KUBECONFIG_KEY } = reference
    const problem = error.message.replace(/^kubeconfig: /, '')
    throw unusable('KubeconfigInvalid', `${FIELD}.key`, `${secretName(reference)}, key '${key}': ${problem}`)
  }
}

const endpointOf = (shown: ShownInstance): string | undefined =>
  (shown.state === undefined ? undefined : shown.endpoint) ?? shown.instance.status?.endpoint

/** @param sharing the Instances that share it. @throws Failure ALREADY_EXISTS naming the one that manages it */
function refuseDuplicate(
  sharing: readonly ShownInstance[],
  shared: 'endpoint' | 'control plane',
  reference: SecretReference,
): void {
  const other = sharing.find(one => duplicateRefusal(one) === undefined) ?? sharing[0]
  if (!other) return
  throw alreadyExists(
    `the kubeconfig in ${secretName(reference)} leads to the same ${shared} as that of instance ${other.name}: name the Secret of another control plane, or use that instance`,
    { reason: shared === 'endpoint' ? 'DuplicateEndpoint' : 'DuplicateControlPlane' },
  )
}
