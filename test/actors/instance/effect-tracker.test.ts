import { expect, it } from 'vitest'
import type { EffectEvent } from '../../../actors/instance/dependencies.js'
import { EffectTracker } from '../../../actors/instance/effect-tracker.js'
import { fakeLog } from '../../http/fakes/log.js'
import { unmetered } from '../../silent.js'

const ended = (event: Pick<EffectEvent, 'phase' | 'reason' | 'message'>) => {
  const log = fakeLog()
  const failures: unknown[] = []
  const count = (name: string, labels?: object) =>
    void (name === 'kairship_effect_failures_total' && failures.push(labels))
  const tracker = new EffectTracker({ ...unmetered, count }, log, () => undefined)
  tracker.changed({ instance: 'alpha', effect: 'write the status', phase: 'began' })
  tracker.changed({ instance: 'alpha', effect: 'write the status', seconds: 1, ...event })
  return { lines: log.lines, failures }
}

it('an effect that failed is a warning, and counts', () => {
  const { lines, failures } = ended({ phase: 'failed', reason: 'Forbidden', message: 'denied' })
  expect(lines).toMatchObject([{ level: 'warn', fields: { reason: 'Forbidden', message: 'denied' } }])
  expect(failures).toEqual([{ effect: 'write the status', failure: 'Forbidden' }])
})

it('an effect that another replica’s term cut is no warning and does not count; why it ended is told to those who debug', () => {
  const { lines, failures } = ended({ phase: 'aborted', reason: 'NotLeading', message: 'no longer leads' })
  expect(lines).toMatchObject([
    { level: 'debug', fields: { phase: 'aborted', reason: 'NotLeading', message: 'no longer leads' } },
  ])
  expect(failures).toEqual([])
})
