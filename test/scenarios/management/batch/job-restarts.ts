import { describe, expect, it } from 'vitest'
import type { BatchService } from '../../../../proto/gen/kairship/batch_pb.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'
import { requestsTo } from '../requests.js'
import { complete, jobsIn, pods } from './jobs-in.js'

/** Jobs that run again. */
export function jobRestartCases(world: ManagedWorld<typeof BatchService>): void {
  const { named } = requestsTo(world)
  const { createJob, report } = jobsIn(world)

  describe('restarting a Job', () => {
    it('recreates it: another object with the same manifest, labels and policy, in the members too', async () => {
      await world.place('Job', 'again', { apiVersion: 'batch/v1' })
      const made = await createJob('again', { ttlSecondsAfterFinished: 3600 }, { labels: { team: 'blue' } })
      const [member = ''] = world.members
      const key = { namespace: 'default', name: 'again' }
      const before = await world.in(member, TYPES.jobs, key)
      await report('again', complete)
      const { job: restarted } = await world.calls.rest('restartJob', named('again'))
      expect(restarted).toMatchObject({
        metadata: { name: 'again', labels: { team: 'blue' } },
        spec: { parallelism: 2, completions: 4 },
        status: { phase: 'Waiting', succeed: 0 },
      })
      expect(restarted.metadata.uid).not.toBe(made.metadata.uid)
      const stored = await world.in(world.instance, TYPES.jobs, key)
      expect(stored.spec).toMatchObject({ ttlSecondsAfterFinished: 3600, template: { spec: pods.spec } })
      await world.in(member, TYPES.jobs, key, ({ metadata }) => metadata.uid !== before.metadata.uid)
    })

    it('is refused when the Job has changed since it was read, and does nothing', async () => {
      const { metadata } = await createJob('changed')
      await world.patch(
        world.control,
        TYPES.jobs,
        { namespace: 'default', name: 'changed' },
        {
          metadata: { labels: { touched: 'yes' } },
        },
      )
      const refused = await world.calls.both('restartJob', {
        ...named('changed'),
        resourceVersion: metadata.resourceVersion,
      })
      expect(refused).toMatchObject({ ok: false, json: { code: 10 } })
      expect((await world.calls.read('getJob', named('changed'))).metadata.uid).toBe(metadata.uid)
      const { resourceVersion } = (await world.calls.read('getJob', named('changed'))).metadata
      const { job: restarted } = await world.calls.rest('restartJob', {
        ...named('changed'),
        resourceVersion,
      })
      expect(restarted.metadata.uid).not.toBe(metadata.uid)
    })

    it('is refused for a Job with finalizers, one that is being deleted, and a missing one', async () => {
      const key = { namespace: 'default', name: 'held' }
      await createJob('held', {}, { finalizers: ['test.io/held'] })
      const held = await world.calls.both('restartJob', named('held'))
      expect(held).toMatchObject({ ok: false, json: { code: 9 } })
      expect(held.json.message).toContain('test.io/held')
      await world.remove(world.control, TYPES.jobs, key)
      const deleted = await world.calls.both('restartJob', named('held'))
      expect(deleted).toMatchObject({ ok: false, json: { code: 9 } })
      expect(deleted.json.message).toContain('being deleted')
      await world.patch(world.control, TYPES.jobs, key, { metadata: { finalizers: null } })
      expect((await world.calls.both('restartJob', named('nobody'))).json.code).toBe(5)
    })

    it('is refused before the deletion for a caller who may not create it', async () => {
      const { metadata } = await createJob('kept')
      expect(await world.viewer.both('restartJob', named('kept'))).toMatchObject({
        ok: false,
        json: { code: 7 },
      })
      expect((await world.calls.read('getJob', named('kept'))).metadata.uid).toBe(metadata.uid)
    })

    it('keeps a Job that the control plane would refuse to create again', async () => {
      const { metadata } = await createJob('refused')
      const restore = world.world.playground.karmadas.get(world.instance)!.server.interrupt({
        kind: 'answer',
        matches: ({ method, path }) => method === 'POST' && path.endsWith('/jobs'),
        response: {
          code: 403,
          body: {
            object: {
              kind: 'Status',
              apiVersion: 'v1',
              status: 'Failure',
              reason: 'Forbidden',
              message: 'jobs.batch "refused" is forbidden: exceeded quota: jobs',
              code: 403,
            },
          },
        },
      })
      try {
        const refused = await world.calls.overRest('restartJob', named('refused'))
        expect(refused).toMatchObject({ ok: false, json: { code: 7 } })
      } finally {
        restore()
      }
      expect((await world.calls.read('getJob', named('refused'))).metadata.uid).toBe(metadata.uid)
    })
  })
}
