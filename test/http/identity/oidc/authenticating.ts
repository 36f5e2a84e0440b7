import { connectIssuer } from '../../../../actors/issuers/issuer-documents.js'
import { authenticatorOf } from '../../../../http/identity/authenticate.js'
import { parseAuthentication } from '../../../../http/identity/oidc/configuration.js'
import type { IssuerDependencies } from '../../../../http/identity/oidc/issuer.js'
import { Issuers } from '../../../../http/identity/oidc/issuers.js'
import { fakeMeter } from '../../fakes/api.js'
import { fakeHost } from '../../fakes/host.js'
import { fakeLog } from '../../fakes/log.js'
import { documentWith } from './configurations.js'
import type { TestIssuer } from './test-issuer.js'

/** A clock and timers that a test moves. */
export function manualTime() {
  const timers: { at: number; work: () => void }[] = []
  const time = {
    now: 0,
    wallClock: () => Date.now() + time.now,
    schedule: (work: () => void, ms: number) => {
      const timer = { at: time.now + ms, work }
      timers.push(timer)
      return () => void timers.splice(timers.indexOf(timer), timers.includes(timer) ? 1 : 0)
    },
    /** Moves the clock, and runs what is due. */
    pass(ms: number) {
      time.now += ms
      for (const timer of timers.filter(({ at }) => at <= time.now)) {
        timers.splice(timers.indexOf(timer), 1)
        timer.work()
      }
    },
    timers,
  }
  return time
}

/** The entry of `jwt` for a test issuer. */
export const entryFor = ({ url, certificateAuthority }: TestIssuer, fields: object = {}) => ({
  issuer: { url, certificateAuthority, audiences: ['kairship'] },
  claimMappings: {
    username: { claim: 'sub', prefix: '' },
    groups: { claim: 'groups', prefix: '' },
  },
  ...fields,
})

/** The authenticator over test issuers and a host that knows the token `good`. */
export function authenticating(entries: readonly object[], overrides: Partial<IssuerDependencies> = {}) {
  const time = manualTime()
  const host = fakeHost({ tokens: { good: { user: 'of-host' } }, allows: () => true })
  const log = fakeLog()
  const { meter, counts } = fakeMeter()
  const issuers = new Issuers({
    connect: connectIssuer,
    graceMs: 3_600_000,
    log,
    meter,
    now: () => time.now,
    wallClock: time.wallClock,
    schedule: time.schedule,
    ...overrides,
  })
  const configure = (...jwt: readonly object[]) =>
    issuers.replace(parseAuthentication(JSON.stringify(documentWith(...jwt)), 'test'))
  configure(...entries)
  const { authenticate } = authenticatorOf({ host, issuers, now: () => time.now })
  const send = async (token: string, remote?: string) =>
    authenticate({ authorization: `Bearer ${token}`, ...(remote !== undefined && { remote }) })
  /** What a token is answered with: the user, or the message of the refusal. */
  const answer = async (token: string) =>
    send(token).then(
      ({ user }) => user,
      error => String(error.message),
    )
  return { time, host, log, counts, issuers, configure, authenticate, send, answer }
}
