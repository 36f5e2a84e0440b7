import { describe, expect, it } from 'vitest'
import type { BatchService } from '../../../../proto/gen/kairship/batch_pb.js'
import type { ManagedWorld } from '../../support/managed-world.js'
import { requestsTo } from '../requests.js'
import { cronJob, job } from './jobs-in.js'

/** Requests about Jobs and CronJobs that are refused. */
export function wrongBatchRequestCases(world: ManagedWorld<typeof BatchService>): void {
  const { at } = requestsTo(world)

  describe('a wrong request about Jobs and CronJobs', () => {
    it.each([
      ['malformed YAML', 'a: b: c', /neither JSON nor YAML/],
      ['several documents', `${JSON.stringify(job('a'))}\n---\n${JSON.stringify(job('b'))}`, /exactly one/],
      ['another kind', JSON.stringify(cronJob('a')), /must be "Job"/],
      ['a spec that is refused', JSON.stringify(job('a', { parallelism: -1 })), /data\.spec\.parallelism/],
      ['what its type does not have', JSON.stringify(job('a', { paralelism: 1 })), /paralelism/],
    ])('is refused on create: %s', async (_, data, message) => {
      const refused = await world.calls.both('createJob', { ...at(), data })
      expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
      expect(refused.text).toMatch(message)
    })

    it.each([
      [
        'a schedule that is none',
        JSON.stringify(cronJob('a', { schedule: 'often' })),
        /data\.spec\.schedule/,
      ],
      ['another kind', JSON.stringify(job('a')), /must be "CronJob"/],
    ])('is refused on create of a CronJob: %s', async (_, data, message) => {
      const refused = await world.calls.both('createCronJob', { ...at(), data })
      expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
      expect(refused.text).toMatch(message)
    })

    it.each([
      [{ phase: 'Done' }, /Completed/],
      [{ labelSelector: 'a in (' }, /./],
      [{ labelSelector: '=;DROP' }, /./],
      [{ fieldSelector: 'spec.secret=x' }, /./],
      [{ fieldSelector: 'metadata.name' }, /./],
    ])('is refused on list: %j', async (more, message) => {
      const refused = await world.calls.both('listInstanceJobs', { instance: world.instance, ...more })
      expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
      expect(refused.json.message).toMatch(message)
    })
  })
}
