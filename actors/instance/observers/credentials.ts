import { Subscription } from 'rxjs'
import { type AnyEventObject, fromCallback } from 'xstate'
import { canonical } from '../../../machines/canonical.js'
import type { OwnObserverEvent } from '../../../machines/instance/events.js'
import { type Answer, type Credentials, isDeletionRequested } from '../../../machines/instance/facts.js'
import type { Instance } from '../../../manifests/instance.js'
import { installationNamespace, kubeconfigSecret } from '../../../manifests/karmada.js'
import type { SecretReference } from '../../../manifests/kube.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { fingerprint } from '../../host/kept-object.js'
import type { SecretSight } from '../../host/secrets.js'
import { fail, failureOf } from '../../kube/failure.js'
import type { InstanceDependencies } from '../dependencies.js'
import { inCallersNames } from '../impersonation/in-callers-names.js'

/**
 * Follows the Secret with an instance's kubeconfig, whichever the CR names at the time, and keeps the connection made of
 * it. A rotated kubeconfig replaces the connection without a gap. One that cannot be used is reported as a failure, and the
 * connection that there was is kept: what still works goes on working. A Secret that is taken away takes the connection
 * with it, unless the instance is being deleted: what is ours inside must still be removed.
 */
export const followCredentials = (dependencies: InstanceDependencies) =>
  fromCallback<AnyEventObject, { name: string }, OwnObserverEvent>(({ input: { name }, sendBack }) => {
    const credentials = new CredentialsObserver(dependencies, name, sendBack)
    return () => credentials.stop()
  })

/**
 * One subscription for each object that is followed. Chains of operators did the same, and were 25 objects with their closures
 * for as long as the instance lives.
 */
class CredentialsObserver {
  readonly #instance: Subscription
  /** Its Karmada, where Kairship installs it. */
  #karmada = Subscription.EMPTY
  #secret = Subscription.EMPTY
  /** The reference to the Secret that is followed. */
  #followed = ''
  /** Aborted when another sighting takes over from the one of which a connection is being made. */
  #connecting: AbortController | undefined

  constructor(
    private readonly dependencies: InstanceDependencies,
    private readonly name: string,
    private readonly send: (event: OwnObserverEvent) => void,
  ) {
    this.#instance = dependencies.host.instances
      .follow(name)
      .subscribe(instance => instance && this.#instanceSeen(instance))
  }

  stop(): void {
    this.#instance.unsubscribe()
    this.#karmada.unsubscribe()
    this.#secret.unsubscribe()
    this.#connecting?.abort()
  }

  #instanceSeen(instance: Instance): void {
    this.#karmada.unsubscribe()
    if (instance.spec?.install)
      this.#karmada = this.dependencies.host.karmadas
        .follow(`${installationNamespace(instance)}/${this.name}`)
        .subscribe(karmada => this.#follow(kubeconfigSecret(instance, karmada)))
    else this.#follow(instance.spec?.kubeconfigSecretRef)
  }

  /** A connection outlives its observer: XState drops what a stopped one sends. */
  readonly #report = (impersonation: Answer<object>): void =>
    this.send({ type: 'impersonation.answered', impersonation })

  /** Starts over when the CR names another Secret. */
  #follow(reference: SecretReference | undefined): void {
    if (!reference || canonical(reference) === this.#followed) return
    this.#followed = canonical(reference)
    this.#secret.unsubscribe()
    this.#secret = this.dependencies.host.secrets
      .follow(reference.namespace, reference.name)
      .subscribe(sight => void this.#connect(reference, sight))
  }

  /**
   * Turns a sighting into a connection, or says why not. Does nothing when the kubeconfig is the one already in use. Once
   * it is overtaken (the Secret is another by now, or the instance has gone), its result changes nothing any more.
   */
  async #connect(reference: SecretReference, sight: SecretSight): Promise<void> {
    this.#connecting?.abort()
    const connecting = new AbortController()
    this.#connecting = connecting
    const { dependencies, name } = this
    const credentials = await connectedBy(
      dependencies,
      { name, reference, sight, report: this.#report },
      connecting.signal,
    )
    if (connecting.signal.aborted) return
    this.#connecting = undefined
    this.send({ type: 'credentials.observed', credentials })
    if (!dependencies.connectionOf(name).current) this.send({ type: 'controlPlane.contactLost' })
  }
}

/** A Secret as it was seen, and who is told what the control plane behind it says of impersonation. */
interface Sighting {
  readonly name: string
  readonly reference: SecretReference
  readonly sight: SecretSight
  readonly report: (impersonation: Answer<object>) => void
}

/** Never rejects: every error is an answer. */
async function connectedBy(
  dependencies: InstanceDependencies,
  { name, reference, sight, report }: Sighting,
  overtaken: AbortSignal,
): Promise<Answer<Credentials>> {
  const { connectionOf, host } = dependencies
  const connection = connectionOf(name)
  try {
    const kubeconfig = kubeconfigIn(reference, sight)
    const print = fingerprint(kubeconfig)
    if (connection.current?.fingerprint !== print) {
      const api = await connectionBy(dependencies, name, kubeconfig, report).catch(unusable(reference))
      if (overtaken.aborted) await api.close()
      else connection.replace({ api, kubeconfig, fingerprint: print })
    }
    return { ok: true, endpoint: connection.current?.api.server ?? '', fingerprint: print }
  } catch (error) {
    const instance = host.instances.get(name)
    if (sight === 'absent' && !(instance && isDeletionRequested(instance))) connection.replace(undefined)
    return { ok: false, failure: failureOf(error, 'credentials') }
  }
}

/** The connection of a kubeconfig; requests in callers' names go there under an account of their own. */
async function connectionBy(
  { connector, host, log, impersonateWithOwnCredential }: InstanceDependencies,
  name: string,
  kubeconfig: string,
  report: Sighting['report'],
): Promise<KubeApi> {
  const own = await connector.connect(kubeconfig)
  return inCallersNames(own, {
    instance: name,
    kubeconfig,
    connector,
    log,
    report,
    ownCredentialStandsIn: impersonateWithOwnCredential,
    mayMake() {
      const instance = host.instances.get(name)
      return instance !== undefined && !isDeletionRequested(instance)
    },
  })
}

/** Says where the kubeconfig is that cannot be used, and nothing of what is in it. */
const unusable =
  ({ namespace, name, key = 'kubeconfig' }: SecretReference) =>
  (error: unknown): never => {
    const { reason, message } = failureOf(error, 'credentials')
    const what = message.replace(/^kubeconfig: /, '')
    return fail(reason, 'credentials', `Secret ${namespace}/${name}, key '${key}': ${what}`)
  }

function kubeconfigIn({ namespace, name, key = 'kubeconfig' }: SecretReference, sight: SecretSight): string {
  const what = `Secret ${namespace}/${name}`
  if (sight === 'absent') fail('SecretNotFound', 'credentials', `${what} does not exist`)
  if ('failure' in sight) fail(sight.failure.reason, 'credentials', `${what}: ${sight.failure.message}`)
  const encoded = sight.secret.data?.[key]
  if (!encoded) {
    const keys = Object.keys(sight.secret.data ?? {})
    const has = keys.length > 0 ? `it has ${keys.join(', ')}` : 'it has no data'
    fail('SecretKeyMissing', 'credentials', `${what} has no key '${key}'; ${has}`)
  }
  return Buffer.from(encoded, 'base64').toString()
}
