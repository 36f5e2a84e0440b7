import { describe, expect, it } from 'vitest'
import { createActor, fromCallback, fromPromise } from 'xstate'
import { instanceMachine } from '../../../machines/instance/instance.js'
import { brokenClaims } from '../../../machines/instance/invariants.js'
import type { Assignment } from '../../../machines/instance/task.js'
import { type FactName, facts, instance } from './facts.js'

/** An actor whose effects end when a test says so, and its effects that run. */
function actorOf(start: Parameters<typeof instance>[0]) {
  const running = new Map<string, (outcome: string | Error) => void>()
  const started: string[] = []
  const effect = (name: string) =>
    fromPromise<string, Assignment>(
      ({ signal }) =>
        new Promise((resolve, reject) => {
          started.push(name)
          running.set(name, outcome => {
            running.delete(name)
            if (outcome instanceof Error) reject(outcome)
            else resolve(outcome)
          })
          signal.addEventListener('abort', () => running.delete(name))
        }),
    )
  const names = [
    'publish the registration',
    'ensure the virtual cluster',
    'materialize the role bindings',
    'withdraw the registration',
    'write the status',
  ] as const
  const actor = createActor(
    instanceMachine.provide({
      actors: {
        ...Object.fromEntries(names.map(name => [name, effect(name)])),
        rest: fromCallback(() => undefined),
      },
    }),
    { input: { instance: instance(start), leading: true } },
  ).start()
  const send = (...sent: FactName[]) => {
    for (const name of sent) {
      actor.send(facts[name])
      expect(brokenClaims(actor.getSnapshot())).toEqual([])
    }
  }
  return {
    actor,
    running,
    started,
    send,
    work: () => [...running.keys()].filter(name => name !== 'write the status'),
  }
}
const settled = () => new Promise(setImmediate)

describe('an instance whose replica loses the lease', () => {
  it('repeats its effects when it leads again, because another replica may have undone them', async () => {
    const { running, send, work, actor } = actorOf({})
    send('resolved', 'healthy', 'distinct', 'synced', 'registered', 'bindings')
    expect(work()).toContain('materialize the role bindings')
    running.get('materialize the role bindings')!('unwatched')
    await settled()
    expect(work()).not.toContain('materialize the role bindings')
    send('following')
    expect(actor.getSnapshot().context.work).toEqual({})
    send('leading')
    expect(work()).toContain('materialize the role bindings')
  })

  it('aborts the teardown step that runs, and continues with the same one when it leads again', () => {
    const { send, work } = actorOf({})
    send('resolved', 'healthy', 'distinct', 'synced', 'registered', 'deletionAsked')
    expect(work()).toEqual(['withdraw the registration'])
    send('following')
    expect(work()).toEqual([])
    send('leading')
    expect(work()).toEqual(['withdraw the registration'])
  })

  it('does not retry a failed teardown step before it leads again', async () => {
    const { running, started, send, work, actor } = actorOf({})
    send('resolved', 'healthy', 'distinct', 'synced', 'registered', 'deletionAsked')
    running.get('withdraw the registration')!(new Error('refused'))
    await settled()
    send('following')
    started.length = 0
    actor.send({ type: 'rest.ended', task: 'unpublishing' })
    expect(started).toEqual([])
    send('leading')
    expect(work()).toEqual(['withdraw the registration'])
  })
})
