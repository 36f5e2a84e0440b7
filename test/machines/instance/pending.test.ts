import { expect, it } from 'vitest'
import { pendingOf } from '../../../machines/instance/pending.js'
import { done, fails, reached, rested, type Step, walked } from './walked.js'

/** What an instance is said to wait for and to do after some steps, without the status that it is always writing. */
const pendingAfter = (start: Parameters<typeof walked>[0], ...steps: Step[]): readonly string[] =>
  pendingOf(walked(start, ...steps).snapshot).filter(sentence => sentence !== 'is writing the status')

it('pending work lists the root cause only', () => {
  expect(
    pendingAfter({ status: { phase: 'Ready' } }, 'resolved', 'unreachable', 'distinct', 'hostLost'),
  ).toEqual(['waits for ControlPlaneHealthy: Unreachable: control plane: Unreachable'])
})

const waits = 'waits for VirtualClusterSynced: NotCreated: the PediaCluster does not exist yet'

it('pending work lists the effects that run', () => {
  expect(pendingAfter({}, ...reached)).toEqual([waits, 'is making the virtual cluster as it should be'])
})

it('pending work names the leader on a replica that does not lead', () => {
  expect(pendingAfter({ leading: false }, ...reached, rested('status'))).toEqual([
    waits,
    'leaves making the virtual cluster as it should be to the replica that leads',
    'leaves writing the status to the replica that leads',
  ])
})

it('pending work lists writes that the watch has not shown', () => {
  expect(pendingAfter({}, ...reached, done('virtualCluster', 'vc-1'))).toEqual([
    waits,
    'waits to see the result of making the virtual cluster as it should be',
  ])
})

it('pending work lists retries with their time, count and reason', () => {
  const failing = 'waits for VirtualClusterSynced: Unavailable: virtualCluster: Unavailable'
  const again = (when: string, tries: string) =>
    `tries making the virtual cluster as it should be again ${when}, after ${tries}: virtualCluster: Unavailable`
  const failed = fails('virtualCluster')
  expect(pendingAfter({}, ...reached, failed)).toEqual([failing, again('soon', '1 failed try')])
  const until = Date.parse('2026-01-01T00:00:07Z')
  const task = 'virtualCluster'
  const resting = { type: 'rest.began', task, until } as const
  expect(pendingAfter({}, ...reached, failed, resting, rested(task), failed, resting)).toEqual([
    failing,
    again('at 2026-01-01T00:00:07.000Z', '2 failed tries'),
  ])
})

it('pending work of an instance that is being deleted lists only its teardown', () => {
  expect(pendingAfter({}, ...reached, 'deletionAsked')).toEqual(['is withdrawing the registration'])
})
