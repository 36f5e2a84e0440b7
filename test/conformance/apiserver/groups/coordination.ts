import { expect } from 'vitest'
import { behaviour, type Group, type Json } from '../behaviour.js'

/** Leases and Events: what leader election and explanations stand on. */
export const coordination: Group = {
  name: 'coordination',
  behaviours: [
    behaviour('a Lease keeps microseconds', async k => {
      const name = k.name()
      const renewTime = '2026-01-02T03:04:05.123456Z'
      const body = await k.made(leases(k.namespace), lease(name, { renewTime, acquireTime: renewTime }))
      expect(body.spec).toEqual({
        holderIdentity: 'a',
        leaseDurationSeconds: 15,
        renewTime,
        acquireTime: renewTime,
      })
    }),
    behaviour('a Lease’s time without its six digits is a bad request', async k => {
      const { status, body } = await k.admin.post(
        leases(k.namespace),
        lease(k.name(), { renewTime: '2026-01-02T03:04:05Z' }),
      )
      expect(status).toBe(400)
      expect(body.message).toContain('parsing time "2026-01-02T03:04:05Z"')
    }),
    behaviour('of two who take a Lease with one resourceVersion one gets it', async k => {
      const name = k.name()
      const made = await k.made(leases(k.namespace), lease(name))
      const path = `${leases(k.namespace)}/${name}`
      const take = (holderIdentity: string): Json => ({ ...made, spec: { ...made.spec, holderIdentity } })
      const answers = await Promise.all([k.admin.put(path, take('b')), k.admin.put(path, take('c'))])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    }),
    behaviour('a Lease of no positive duration is Invalid', async k => {
      const { status, body } = await k.admin.post(
        leases(k.namespace),
        lease(k.name(), { leaseDurationSeconds: 0 }),
      )
      expect(status).toBe(422)
      expect(body.message).toContain('spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0')
    }),
    behaviour('a released Lease may have no holder', async k => {
      const name = k.name()
      await k.made(leases(k.namespace), lease(name))
      const body = k.ok(
        await k.admin.patch(`${leases(k.namespace)}/${name}`, 'merge', {
          spec: { holderIdentity: '', leaseDurationSeconds: 1 },
        }),
      )
      expect(body.spec.holderIdentity).toBe('')
    }),
    behaviour('an Event is kept with its object and count', async k => {
      const name = k.name()
      const body = await k.made(k.core('events'), {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name },
        involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', namespace: k.namespace },
        reason: 'Tested',
        message: 'it was tested',
        type: 'Normal',
        count: 2,
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:01Z',
        source: { component: 'suite' },
      })
      expect(body).toMatchObject({ reason: 'Tested', count: 2, involvedObject: { name: 'x' } })
    }),
    behaviour('Events can be selected by the object they are about', async k => {
      const name = k.name()
      await k.made(k.core('events'), {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name },
        involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name, namespace: k.namespace },
        reason: 'Tested',
      })
      const { body } = await k.admin.get(k.core('events'), {
        fieldSelector: `involvedObject.name=${name},involvedObject.kind=ConfigMap`,
      })
      expect(body.items).toHaveLength(1)
    }),
    behaviour('an Event is seen in both of its groups', async k => {
      const name = k.name()
      await k.made(k.core('events'), {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name },
        involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name, namespace: k.namespace },
        reason: 'Tested',
        message: 'both',
      })
      const { body } = await k.admin.get(`/apis/events.k8s.io/v1/namespaces/${k.namespace}/events/${name}`)
      expect(body).toMatchObject({ note: 'both', regarding: { name } })
    }),
    behaviour('an Event about another namespace’s object is Invalid', async k => {
      const { status, body } = await k.admin.post(k.core('events'), {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: k.name() },
        involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', namespace: 'other' },
        reason: 'Tested',
      })
      expect(status).toBe(422)
      expect(body.message).toContain(
        'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
      )
    }),
  ],
}

function leases(namespace: string): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`
}

function lease(name: string, spec: Json = {}): Json {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name },
    spec: { holderIdentity: 'a', leaseDurationSeconds: 15, ...spec },
  }
}
