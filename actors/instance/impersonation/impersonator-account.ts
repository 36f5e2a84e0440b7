import {
  IMPERSONATOR,
  IMPERSONATOR_USER,
  renderImpersonator,
  SERVICE_ACCOUNTS,
} from '../../../manifests/impersonator.js'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../../../manifests/instance-rbac.js'
import { resourcePath } from '../../../manifests/kube.js'
import { NAMESPACES } from '../../../manifests/reserved-namespaces.js'
import { isForbidden, isNotFound, StatusError } from '../../../manifests/status-error.js'
import { deadline } from '../../../ports/cancellation.js'
import { ImpersonationRefusedError, type KubeApi } from '../../../ports/kube-api.js'
import { apply, find } from '../../kube/apply.js'

/** A token of the impersonator, and for how long it counts. */
export interface ImpersonatorToken {
  readonly token: string
  /** Milliseconds from when it was asked for. By the server's own figure and not by its clock, which may be another. */
  readonly lifetimeMs: number
}

/** How long tokens are asked to count; Kubernetes refuses less than ten minutes. */
const LIFETIME_S = 3_600
/** How long all requests for a token may take together; a caller waits for them. */
const WITHIN_MS = 10_000

/**
 * Asks the control plane for a token of the impersonator, under Kairship's own credential, and makes the account where there is none.
 * Then it lets the account impersonate somebody who has no rights: an account that was made by hand, or whose rights were taken away,
 * is found out here and not by a caller.
 * @param as the control plane under a token
 * @param mayMake whether the account may be made now: not while the instance is being deleted
 * @throws ImpersonationRefusedError where the control plane does not allow it; what `KubeApi.request` throws where it does not answer
 */
export async function impersonatorToken(
  api: Pick<KubeApi, 'request'>,
  as: (token: string) => Pick<KubeApi, 'request'>,
  options: { readonly instance: string; readonly mayMake: boolean },
): Promise<ImpersonatorToken> {
  const { signal, clear } = deadline([], WITHIN_MS)
  return issue(api, as, options, signal).finally(clear)
}

async function issue(
  api: Pick<KubeApi, 'request'>,
  as: (token: string) => Pick<KubeApi, 'request'>,
  { instance, mayMake }: { readonly instance: string; readonly mayMake: boolean },
  signal: AbortSignal,
): Promise<ImpersonatorToken> {
  const make = () => step(`make the account ${IMPERSONATOR_USER}`, () => makeAccount(api, instance, signal))
  const request = () => requestToken(api, signal)
  let issued: ImpersonatorToken
  try {
    issued = await step(`get a token of ${IMPERSONATOR_USER}`, request, isNotFound)
  } catch (error) {
    if (!isNotFound(error) || !mayMake) throw error
    await make()
    issued = await step(`get a token of ${IMPERSONATOR_USER}`, request)
  }
  if (await mayImpersonate(as(issued.token), signal)) return issued
  if (mayMake) await make()
  if (await mayImpersonate(as(issued.token), signal)) return issued
  throw new ImpersonationRefusedError(
    `${IMPERSONATOR_USER} may not impersonate in the instance: bind it to a ClusterRole with the verb impersonate on users, groups, serviceaccounts, and on uids and userextras of authentication.k8s.io`,
  )
}

/** Creates or repairs. The namespace is made only where there is none: it is Kairship's, and may have labels that people gave it. */
async function makeAccount(
  api: Pick<KubeApi, 'request'>,
  instance: string,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, account, role, binding } = renderImpersonator(instance)
  const whole = api as KubeApi
  if (!(await find(whole, NAMESPACES, { name: namespace.metadata.name }, signal)))
    await apply(whole, NAMESPACES, namespace, signal)
  await apply(whole, SERVICE_ACCOUNTS, account, signal)
  await apply(whole, CLUSTER_ROLES, role, signal)
  await apply(whole, CLUSTER_ROLE_BINDINGS, binding, signal)
}

async function requestToken(api: Pick<KubeApi, 'request'>, signal: AbortSignal): Promise<ImpersonatorToken> {
  const answer = await api.request<{
    readonly spec?: { readonly expirationSeconds?: unknown }
    readonly status?: { readonly token?: unknown }
  }>({
    method: 'POST',
    path: resourcePath(SERVICE_ACCOUNTS, { ...IMPERSONATOR, subresource: 'token' }),
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: LIFETIME_S },
    },
    signal,
  })
  const token = answer?.status?.token
  if (typeof token !== 'string' || token === '')
    throw new ImpersonationRefusedError('the control plane answered a TokenRequest without a token')
  const given = answer.spec?.expirationSeconds
  const seconds = typeof given === 'number' && given > 0 ? Math.min(given, LIFETIME_S) : LIFETIME_S
  return { token, lifetimeMs: seconds * 1_000 }
}

/** Somebody whom no RBAC names. Every attribute that callers have is among those of this one. */
const NOBODY = {
  user: 'kairship.io:nobody',
  uid: 'nobody',
  groups: ['kairship.io:nobody'],
  extra: { 'kairship.io/probe': ['nobody'] },
} as const

/** Whatever else the answer is: a refusal that names the account is one of impersonation. */
async function mayImpersonate(as: Pick<KubeApi, 'request'>, signal: AbortSignal): Promise<boolean> {
  try {
    await as.request({ method: 'GET', path: '/api', impersonate: NOBODY, signal })
    return true
  } catch (error) {
    if (error instanceof StatusError && error.code !== 401 && error.code < 500)
      return !(error.code === 403 && error.message.includes(IMPERSONATOR_USER))
    throw error
  }
}

/** What the control plane does not allow is said with what was tried. */
async function step<T>(
  what: string,
  work: () => Promise<T>,
  passes: (error: unknown) => boolean = () => false,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(isForbidden(error) || isNotFound(error)) || passes(error)) throw error
    throw new ImpersonationRefusedError(
      `Kairship's credential of the instance may not ${what}, which requests of callers are made with: ${error.message}`,
      { cause: error },
    )
  }
}
