import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createActor, type PromiseActorLogic, toPromise } from 'xstate'
import { NotLeadingError } from '../../../../actors/election/leadership.js'
import { ConcurrencyLimiter } from '../../../../actors/instance/concurrency-limiter.js'
import { leaderEffect, type Work } from '../../../../actors/instance/effects/leader-effect.js'
import { instanceLogic } from '../../../../actors/instance/instance-logic.js'
import { fail } from '../../../../actors/kube/failure.js'
import type { Assignment } from '../../../../machines/instance/task.js'
import type { Instance } from '../../../../manifests/instance.js'
import { instance } from '../../../machines/instance/facts.js'
import { waitFor } from '../../../patience.js'
import { EffectsUnderTest, failing } from '../../effects-under-test.js'

const effects = new EffectsUnderTest()

/** Work that ends only with its signal, and then as its signal says. */
const untilAborted: Work = (_, signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

/** The effect `wait` of one piece of work. */
const waitEffect = (work: Work) =>
  effects.actor(of => leaderEffect(of, { name: 'wait', stage: 'status' }, work))

/** What was reported of effects, without times. */
const reported = () => effects.events.map(({ seconds: _, ...event }) => event)

const began = { instance: 'alpha', effect: 'wait', phase: 'began' }

describe('an effect', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is aborted when the term ends, also while it waits for something other than a request', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const actor = waitEffect(untilAborted)
    const failure = failing(toPromise(actor))
    actor.start()
    await vi.advanceTimersByTimeAsync(0)
    effects.term.abort(new NotLeadingError('this replica no longer leads'))
    expect(await failure).toBe('NotLeading: this replica no longer leads')
    expect(reported().at(-1)).toMatchObject({ phase: 'aborted', reason: 'NotLeading' })
  })

  it('that says in its own words how the end of the term cut it is reported as aborted', async () => {
    const actor = waitEffect(async input => {
      effects.term.abort(new NotLeadingError('this replica no longer leads'))
      return fail('Unexpected', 'status', `a step of ${input.name}`)
    })
    const failure = failing(toPromise(actor))
    actor.start()
    expect(await failure).toBe('NotLeading: this replica no longer leads')
    expect(reported().at(-1)).toMatchObject({ phase: 'aborted', reason: 'NotLeading' })
  })

  it('is aborted when the machine leaves its state, and is reported as aborted and not as failed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const actor = waitEffect(untilAborted)
    actor.start()
    await vi.advanceTimersByTimeAsync(0)
    expect(reported()).toEqual([began])
    actor.stop()
    await vi.advanceTimersByTimeAsync(0)
    expect(reported()).toHaveLength(2)
    expect(reported()[1]).toMatchObject({ ...began, phase: 'aborted' })
  })

  it('is given up after 20 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const actor = waitEffect(untilAborted)
    const failure = failing(toPromise(actor))
    actor.start()
    await vi.advanceTimersByTimeAsync(19_999)
    expect(reported()).toEqual([began])
    await vi.advanceTimersByTimeAsync(1)
    expect(await failure).toBe('Unexpected: no answer within 20000 ms')
    expect(reported()[1]).toMatchObject({ ...began, phase: 'failed' })
  })

  it('reports its success, and leaves no timer and no listener on the term behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const actor = waitEffect(async () => 'revision 7')
    const outcome = toPromise(actor)
    actor.start()
    expect(await outcome).toBe('revision 7')
    expect(reported()).toEqual([began, { ...began, phase: 'succeeded' }])
    expect(vi.getTimerCount()).toBe(0)
    expect(getEventListeners(effects.term.signal, 'abort')).toHaveLength(0)
  })

  it('fails as not leading, without doing anything, where the term has ended by the clock', async () => {
    effects.leading = false
    let worked = false
    const actor = waitEffect(async () => {
      worked = true
      return 'done'
    })
    const failure = failing(toPromise(actor))
    actor.start()
    expect(await failure).toBe('NotLeading: this replica does not lead')
    expect(worked).toBe(false)
    expect(reported().at(-1)).toMatchObject({ phase: 'aborted', reason: 'NotLeading' })
  })

  it.each([
    ['on the host waits for no effect inside an instance', { visiting: 0, writing: 1 }, false],
    ['inside an instance waits for no write on the host', { visiting: 1, writing: 0 }, true],
  ])('%s', async (_, places, inside) => {
    const actor = effects.actor(dependencies =>
      leaderEffect(
        {
          ...dependencies,
          visiting: new ConcurrencyLimiter(places.visiting),
          writing: new ConcurrencyLimiter(places.writing),
        },
        { name: 'wait', stage: 'status', inside },
        async () => 'done',
      ),
    )
    actor.start()
    await waitFor(() => expect(reported().at(-1)).toMatchObject({ phase: 'succeeded' }))
  })
})

const installed = instance({
  spec: { install: {}, deletionPolicy: 'Delete' } as Instance['spec'],
  status: { phase: 'Ready', controlPlaneID: 'one' },
})
const chartEffects: readonly [name: string, of: Instance, wanted?: string][] = [
  ['add the finalizer', instance({ finalizers: [] })],
  ['install the control plane', installed],
  ['ensure the virtual cluster', instance()],
  ['publish the registration', instance()],
  ['materialize the role bindings', instance()],
  ['write the status', instance(), '{"phase":"Ready","conditions":[]}'],
  ['withdraw the registration', instance()],
  ['remove the role bindings', installed],
  ['delete the virtual cluster', instance()],
  ['uninstall the control plane', installed],
  ['remove the finalizer', instance()],
]

describe('when the term is over by the clock and no timer has fired yet', () => {
  it.each(chartEffects)(
    'the effect "%s" sends no request after the one in flight',
    async (name, of, wanted = '') => {
      const answer = () => {
        effects.leading = false
        const metadata = { name: 'x', uid: 'other', resourceVersion: '1', finalizers: of.metadata.finalizers }
        return { apiVersion: 'v1', kind: 'X', metadata, items: [] }
      }
      effects.host.script = answer
      effects.inside.script = answer
      const { actors } = instanceLogic(effects.dependencies()).implementations as unknown as {
        actors: Record<string, PromiseActorLogic<string, Assignment>>
      }
      const actor = createActor(actors[name]!, { input: { name: 'alpha', instance: of, facts: {}, wanted } })
      const done = failing(toPromise(actor))
      actor.start()
      await done
      expect([...effects.host.lines, ...effects.inside.lines]).toHaveLength(1)
    },
  )

  it('the table above has every effect of the chart', () => {
    const { actors } = instanceLogic(effects.dependencies()).implementations as unknown as {
      actors: Record<string, object>
    }
    // Observers are callback actors; each replica runs them.
    const observers = [
      'follow the credentials',
      'probe the control plane',
      'gather the statistics',
      'measure the index',
      'watch the role bindings',
      'rest',
    ]
    expect(Object.keys(actors).sort()).toEqual([...chartEffects.map(([name]) => name), ...observers].sort())
  })
})
