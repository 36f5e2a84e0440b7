import { describe, expect, it } from 'vitest'
import { createActor, type PromiseActorLogic, toPromise } from 'xstate'
import { leaderEffect } from '../../../../actors/instance/effects/leader-effect.js'
import { instanceLogic } from '../../../../actors/instance/instance-logic.js'
import type { Assignment } from '../../../../machines/instance/task.js'
import type { Instance } from '../../../../manifests/instance.js'
import { instance } from '../../../machines/instance/facts.js'
import { waitFor } from '../../../patience.js'
import { EffectsUnderTest, failing } from '../../effects-under-test.js'

const effects = new EffectsUnderTest()

describe('an effect', () => {
  it('is aborted when the term ends, also while it waits for something that is no request', async () => {
    let signal: AbortSignal | undefined
    const waiting = effects.run(dependencies =>
      leaderEffect(dependencies, { name: 'wait', stage: 'status' }, async (_, given) => {
        signal = given
        return new Promise((_, reject) => given.addEventListener('abort', () => reject(given.reason)))
      }),
    )
    await waitFor(() => expect(signal).toBeDefined())
    effects.term.abort(new Error('this replica no longer leads'))
    expect(await failing(waiting)).toBe('Unexpected: this replica no longer leads')
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

describe('when the term has ended by the clock and no timer has fired yet', () => {
  it.each(chartEffects)(
    'the effect "%s" sends nothing after the request that was on its way',
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

  it('the table above names every effect of the chart', () => {
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
