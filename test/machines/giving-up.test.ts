import { expect, it } from 'vitest'
import { createActor, fromCallback, fromPromise } from 'xstate'
import { conditionsOf } from '../../machines/conditions.js'
import { Failed, type FailureReason } from '../../machines/failure.js'
import { instanceMachine } from '../../machines/instance.js'
import type { Assignment } from '../../machines/task.js'
import type { RestInput } from '../../machines/vocabulary.js'
import type { InstanceStatus } from '../../manifests/instance.js'
import { instance } from './facts.js'

/** Far more attempts than it takes to give up. */
const MANY = 40

/** Takes an instance down whose control plane answers every removal of role bindings like this; rests take no time. */
async function takenDown(reason: FailureReason, status: InstanceStatus) {
  const attempts: number[] = []
  let passed: () => void = () => undefined
  let enough: () => void = () => undefined
  const over = new Promise<string>(resolve => {
    passed = () => resolve('passed')
    enough = () => resolve('still trying')
  })
  const gone = fromPromise<string, Assignment>(async () => 'gone')
  const actor = createActor(
    instanceMachine.provide({
      actors: {
        'withdraw the registration': gone,
        'remove the role bindings': fromPromise<string, Assignment>(async () => {
          if (attempts.push(attempts.length) >= MANY) enough()
          throw new Failed({ reason, stage: 'role bindings', message: `it says ${reason}` })
        }),
        'delete the virtual cluster': fromPromise<string, Assignment>(() => {
          passed()
          return new Promise(() => undefined)
        }),
        'write the status': fromPromise<string, Assignment>(async ({ input }) => input.wanted),
        rest: fromCallback(({ input, sendBack }) => {
          const { task } = input as RestInput
          sendBack({ type: 'rest.began', task, until: 0 })
          // The status may rest for as long as it likes: it is not what this is about.
          if (task === 'removingRoleBindings') queueMicrotask(() => sendBack({ type: 'rest.ended', task }))
        }),
      },
    }),
    { input: { instance: instance({ deletionTimestamp: '2026-01-01T00:00:00Z', status }), leading: true } },
  )
  actor.start()
  const outcome = await over
  const told = conditionsOf(actor.getSnapshot().context).find(
    ({ type }) => type === 'RoleBindingsMaterialized',
  )
  actor.stop()
  return { outcome, attempts: attempts.length, told }
}

const materialized: InstanceStatus = {
  phase: 'Ready',
  controlPlaneID: 'cp-1',
  conditions: [
    {
      type: 'RoleBindingsMaterialized',
      status: 'True',
      reason: 'Materialized',
      message: '1 role binding in effect inside',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
}

it.each<FailureReason>([
  'Unreachable',
  'CertificateInvalid',
  'Unauthorized',
  'SecretNotFound',
  'Unavailable',
])(
  'RBAC inside a control plane out of reach (%s) is left behind after six attempts, and that is said',
  async reason => {
    expect(await takenDown(reason, materialized)).toEqual({
      outcome: 'passed',
      attempts: 6,
      told: {
        type: 'RoleBindingsMaterialized',
        status: 'False',
        reason: 'RemovalAbandoned',
        message: expect.stringMatching(
          new RegExp(
            `^RBAC objects labelled kairship.io/role-binding .*were left inside: it says ${reason}$`,
          ),
        ),
      },
    })
  },
)

it('where none was ever made, one attempt is enough', async () => {
  expect(await takenDown('Unreachable', {})).toMatchObject({ outcome: 'passed', attempts: 1 })
})

it.each<FailureReason>(['Conflict', 'StillThere', 'Throttled', 'Unexpected'])(
  'a control plane that answers (%s) is never given up',
  async reason => {
    expect(await takenDown(reason, materialized)).toMatchObject({ outcome: 'still trying', attempts: MANY })
  },
)
