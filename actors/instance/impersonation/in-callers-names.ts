import type { Answer } from '../../../machines/instance/facts.js'
import { ImpersonationRefusedError, type KubeApi, type KubeConnector } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { impersonatorToken } from './impersonator-account.js'
import { ImpersonatorTokens } from './impersonator-tokens.js'
import { UpstreamOnDemand } from './upstream-on-demand.js'

/** What requests in callers' names need of their instance. */
export interface InCallersNamesOptions {
  readonly instance: string
  readonly kubeconfig: string
  readonly connector: KubeConnector
  /** Whether the account may be made now. */
  readonly mayMake: () => boolean
  /** Whether the instance's own credential stands in where the control plane does not allow the account. */
  readonly ownCredentialStandsIn: boolean
  readonly log: Log
  /** Takes whether the control plane allows the account, each time that this changes. */
  readonly report?: (impersonation: Answer<object>) => void
  /** Milliseconds of a clock that does not jump. */
  readonly now?: () => number
}

/**
 * The connection to an instance, whose `upstream` is under the account that may only impersonate: what is sent there without the name
 * of a caller can do nothing. Everything else stays under the instance's own credential. Nothing is asked, and nothing kept for it, before a
 * caller comes.
 */
export function inCallersNames(own: KubeApi, options: InCallersNamesOptions): KubeApi {
  const { upstream, ...rest } = own
  const { connector, kubeconfig, instance, log } = options
  if (!upstream || !connector.connectAs) return rest
  const { connectAs } = connector
  const probing = new Set<KubeApi>()
  /** The probe of a new token is a connection of its own: it is not known yet whether the token is of use. */
  const under = (token: string): Pick<KubeApi, 'request'> => ({
    async request(request) {
      const probe = await connectAs(kubeconfig, { token: () => token, refused: () => undefined })
      probing.add(probe)
      try {
        return await probe.request(request)
      } finally {
        probing.delete(probe)
        await probe.close()
      }
    },
  })
  let said = ''
  let reported: string | undefined
  const report = (refusal: string): void => {
    if (reported === refusal) return
    reported = refusal
    const standsIn = options.ownCredentialStandsIn
      ? `; requests of callers are made with Kairship's own credential in its place (impersonateWithOwnCredential)`
      : ''
    options.report?.(
      refusal === ''
        ? { ok: true }
        : {
            ok: false,
            failure: {
              ...{ reason: 'ImpersonationRefused', stage: 'control plane' },
              message: `${refusal}${standsIn}`,
            },
          },
    )
  }
  const answered = (error?: unknown): void => {
    if (error === undefined) {
      said = ''
      report('')
      return
    }
    const { message } = error as Error
    // What does not answer says nothing about what it allows.
    if (error instanceof ImpersonationRefusedError) report(message)
    if (message !== said) log.warn({ instance, err: error }, 'there is no token to impersonate callers with')
    said = message
  }
  const tokens = new ImpersonatorTokens(
    () => impersonatorToken(own, under, { instance, mayMake: options.mayMake() }),
    options.now ?? (() => performance.now()),
    answered,
    options.ownCredentialStandsIn,
  )
  const callers = new UpstreamOnDemand(
    own.server,
    () => connectAs(kubeconfig, tokens),
    options.ownCredentialStandsIn ? undefined : tokens,
  )
  return {
    ...rest,
    upstream: callers,
    async close() {
      await Promise.all([own, callers, ...probing].map(each => each.close()))
    },
  }
}
