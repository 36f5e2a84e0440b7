import {
  defer,
  distinctUntilChanged,
  filter,
  finalize,
  from,
  map,
  type Observable,
  of,
  switchMap,
} from 'rxjs'
import { type AnyEventObject, fromCallback } from 'xstate'
import { canonical } from '../../../machines/canonical.js'
import type { OwnObserverEvent } from '../../../machines/instance/events.js'
import { type Answer, type Credentials, isDeletionRequested } from '../../../machines/instance/facts.js'
import { installationNamespace, kubeconfigSecret } from '../../../manifests/karmada.js'
import type { SecretReference } from '../../../manifests/kube.js'
import { fingerprint } from '../../host/kept-object.js'
import type { SecretSight } from '../../host/secrets.js'
import { fail, failureOf } from '../../kube/failure.js'
import type { InstanceDependencies } from '../dependencies.js'

/**
 * Follows the Secret with an instance's kubeconfig, whichever the CR names at the time, and keeps the connection made of
 * it. A rotated kubeconfig replaces the connection without a gap. One that cannot be used is reported as a failure, and the
 * connection that there was is kept: what still works goes on working. A Secret that is taken away takes the connection
 * with it, unless the instance is being deleted: what is ours inside must still be removed.
 */
export const followCredentials = (dependencies: InstanceDependencies) =>
  fromCallback<AnyEventObject, { name: string }, OwnObserverEvent>(({ input: { name }, sendBack }) => {
    const connection = dependencies.connectionOf(name)
    const subscription = sightings(dependencies, name)
      .pipe(switchMap(([reference, sight]) => connected(dependencies, name, reference, sight)))
      .subscribe(credentials => {
        sendBack({ type: 'credentials.observed', credentials })
        if (!connection.current) sendBack({ type: 'controlPlane.contactLost' })
      })
    return () => subscription.unsubscribe()
  })

/** How the Secret that the CR names stands, with its reference; starts over when the CR names another. */
function sightings(
  { host }: InstanceDependencies,
  name: string,
): Observable<readonly [reference: SecretReference, sight: SecretSight]> {
  const reference$ = host.instances.follow(name).pipe(
    filter(instance => instance !== undefined),
    switchMap(instance =>
      instance.spec?.install
        ? host.karmadas
            .follow(`${installationNamespace(instance)}/${name}`)
            .pipe(map(karmada => kubeconfigSecret(instance, karmada)))
        : of(instance.spec?.kubeconfigSecretRef),
    ),
    filter(reference => reference !== undefined),
    distinctUntilChanged((a, b) => canonical(a) === canonical(b)),
  )
  return reference$.pipe(
    switchMap(reference =>
      host.secrets
        .follow(reference.namespace, reference.name)
        .pipe(map(sight => [reference, sight] as const)),
    ),
  )
}

/**
 * Turns a sighting into a connection, or says why not. Does nothing when the kubeconfig is the one already in use. Once
 * it is unsubscribed (the Secret is another by now, or the instance has gone), its result changes nothing any more.
 */
const connected = (
  dependencies: InstanceDependencies,
  name: string,
  reference: SecretReference,
  sight: SecretSight,
): Observable<Answer<Credentials>> =>
  defer(() => {
    const overtaken = new AbortController()
    const answer = connectedBy(dependencies, name, reference, sight, overtaken.signal)
    return from(answer).pipe(finalize(() => overtaken.abort()))
  })

/** Never rejects: every error is an answer. */
async function connectedBy(
  { connector, connectionOf, host }: InstanceDependencies,
  name: string,
  reference: SecretReference,
  sight: SecretSight,
  overtaken: AbortSignal,
): Promise<Answer<Credentials>> {
  const connection = connectionOf(name)
  try {
    const kubeconfig = kubeconfigIn(reference, sight)
    const print = fingerprint(kubeconfig)
    if (connection.current?.fingerprint !== print) {
      const api = await connector.connect(kubeconfig).catch(unusable(reference))
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
