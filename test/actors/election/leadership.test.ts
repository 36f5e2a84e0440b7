import { expect, it } from 'vitest'
import { type Leadership, LeadershipView } from '../../../actors/election/leadership.js'
import { silent, unmetered } from '../../silent.js'

it('a replica that has never led has an aborted signal', () => {
  let first: Leadership | undefined
  new LeadershipView(silent, unmetered).changes$.subscribe(leadership => {
    first ??= leadership
  })
  expect([first?.leading, first?.signal.aborted]).toEqual([false, true])
})
