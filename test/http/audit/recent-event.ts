import type { RecentEvent } from '../../../http/audit/recent-event.js'

/** An event: a deletion on the instance `north`. */
export const recentEvent = (more: Partial<RecentEvent> = {}): RecentEvent => ({
  ...{
    stage: 'ResponseComplete',
    id: 'r',
    endedAt: 0,
    durationMs: 1,
    user: 'ann',
    actingAs: '',
    wire: 'rest',
    operation: 'Core_DeleteSecret',
  },
  ...{ verb: 'delete', instance: 'north', cluster: '', apiGroup: '', apiVersion: 'v1' },
  ...{ resource: 'secrets', subresource: '', namespace: 'shop', name: 'tls', outcome: 'succeeded' },
  ...{ code: 'OK', status: 200, remote: '127.0.0.1', userAgent: '', message: '' },
  ...more,
})
