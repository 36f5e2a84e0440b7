import { from, lastValueFrom } from 'rxjs'
import { expect, it } from 'vitest'
import { meteredWatch } from '../../../actors/watches/metered-watch.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { bareStatus, StatusError } from '../../../manifests/status-error.js'
import { UnreachableError } from '../../../ports/kube-api.js'
import type { Seen } from '../../../streams/seen.js'
import { expired, synced } from '../../streams/timeline.js'

const interrupted = (error: Error): Seen<KubeObject> => ({
  type: 'interrupted',
  error,
  attempt: 1,
  silentMs: 0,
  retryInMs: 1,
})

it('counts interruptions by reason, and lists except for the first', async () => {
  const counted: string[] = []
  const meter = {
    count: (name: string, labels = {}) => void counted.push([name, ...Object.values(labels)].join(' ')),
    gauge: () => undefined,
    observe: () => undefined,
  }
  const restarted: Seen<KubeObject> = { type: 'restarted' }
  const seen = from([
    restarted,
    synced(1),
    interrupted(expired()),
    restarted,
    synced(2),
    interrupted(new StatusError(bareStatus(403, 'no'))),
    interrupted(new UnreachableError('reset', 'ECONNRESET')),
    interrupted(new Error('the watch was closed after 3 ms')),
  ])
  await lastValueFrom(seen.pipe(meteredWatch(meter, 'things')))
  expect(counted).toEqual([
    'kairship_watch_restarts_total things expired',
    'kairship_relists_total things',
    'kairship_watch_restarts_total things refused',
    'kairship_watch_restarts_total things unreachable',
    'kairship_watch_restarts_total things ended',
  ])
})
