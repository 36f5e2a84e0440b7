import type { Caller } from '../../../../http/identity/caller.js'
import { InstanceTokens } from '../../../../http/identity/instance-tokens/instance-tokens.js'
import { SigningKeys } from '../../../../http/identity/instance-tokens/signing-keys.js'
import type { KubeRequest } from '../../../../ports/kube-api.js'
import { viewOf } from '../../fakes/fleet.js'
import { refusal } from '../../fakes/host.js'

export const HOUR = 3_600_000
export const ada: Caller = {
  user: 'ada',
  uid: '7',
  groups: ['ops', 'system:authenticated'],
  extra: { a: ['b'] },
}
export const NORTH = { name: 'north', uid: 'uid-north' }

/** One Secret on a host, as its API server keeps it. */
export function hostSecret() {
  const secret = {
    version: 1,
    data: undefined as Record<string, string> | undefined,
    present: true,
    silent: false,
    isReadOnly: false,
    reads: 0,
  }
  const writes: KubeRequest[] = []
  const shown = () => ({
    metadata: { name: 'x', resourceVersion: `${secret.version}` },
    ...(secret.data && { data: secret.data }),
  })
  const host = {
    async request<T>(request: KubeRequest): Promise<T> {
      if (secret.silent) throw new Error('the host is silent')
      if (!secret.present) throw refusal(404, 'NotFound', 'no such Secret')
      if (request.method === 'GET') secret.reads++
      else if (secret.isReadOnly) throw refusal(403, 'Forbidden', 'no right to update')
      const body = request.body as ReturnType<typeof shown>
      if (request.method === 'PUT') {
        writes.push(request)
        if (body.metadata.resourceVersion !== `${secret.version}`) throw refusal(409, 'Conflict', 'changed')
        secret.version++
        secret.data = body.data
      }
      return shown() as T
    },
  }
  return { secret, writes, host }
}

/** Replicas over one host, whose time a test moves. */
export function replicas(count = 1, on = hostSecret()) {
  const time = { ms: 1_800_000_000_000 }
  const configured = new Map<string, string>()
  const uids = new Map([
    ['north', 'uid-north'],
    ['south', 'uid-south'],
  ])
  /** What the watch says of accounts, by uid; undefined where it cannot say. */
  const there = new Map<string, boolean | undefined>()
  const make = () =>
    new InstanceTokens({
      accounts: { isThere: ({ uid }) => there.get(uid) },
      keys: new SigningKeys({
        ...{ host: on.host, namespace: 'kairship-system' },
        ...{ now: () => time.ms, wallClock: () => time.ms },
      }),
      fleet: {
        get(name) {
          const uid = uids.get(name)
          const view = viewOf(name)
          return uid === undefined
            ? undefined
            : { ...view, instance: { ...view.instance, metadata: { ...view.instance.metadata, uid } } }
        },
      },
      issuers: {
        configured: url => {
          const fingerprint = configured.get(url)
          return fingerprint === undefined ? undefined : { fingerprint, vouching: { isOver: false } }
        },
      },
      wallClock: () => time.ms,
    })
  return { tokens: Array.from({ length: count }, make), time, configured, uids, there, ...on }
}

export const one = () => {
  const found = replicas()
  return { ...found, tokens: found.tokens[0]! }
}
