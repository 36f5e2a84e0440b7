import { describe, expect, it } from 'vitest'
import { createActor, fromCallback, fromPromise } from 'xstate'
import { Failed, type FailureReason } from '../../../machines/failure.js'
import { conditionsOf } from '../../../machines/instance/conditions.js'
import { instanceMachine } from '../../../machines/instance/instance.js'
import type { RestInput } from '../../../machines/instance/setup.js'
import type { Assignment } from '../../../machines/instance/task.js'
import type { InstanceStatus } from '../../../manifests/instance.js'
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
  const condition = conditionsOf(actor.getSnapshot().context).find(
    ({ type }) => type === 'RoleBindingsMaterialized',
  )
  actor.stop()
  return { outcome, attempts: attempts.length, condition }
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
  'NotServed',
])(
  'RBAC inside an unreachable control plane (%s) is left behind after six attempts, and an Event reports it',
  async reason => {
    expect(await takenDown(reason, materialized)).toEqual({
      outcome: 'passed',
      attempts: 6,
      condition: {
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

const reachOfHost = {
  'withdraw the registration': 'InstanceRegistration alpha was not deleted: ',
  'delete the virtual cluster': 'PediaCluster k-alpha was not deleted: ',
  'uninstall the control plane': 'the Karmada object of alpha was not deleted: ',
} as const

/** Takes an instance down on a host that answers one step like this until that is passed; all other steps succeed. */
async function takenDownOnHost(stuck: keyof typeof reachOfHost, reason: FailureReason) {
  let attempts = 0
  let released: (leftBehind: readonly string[] | undefined) => void = () => undefined
  const over = new Promise<readonly string[] | undefined>(resolve => (released = resolve))
  const gone = fromPromise<string, Assignment>(async () => 'gone')
  const actor = createActor(
    instanceMachine.provide({
      actors: {
        'withdraw the registration': gone,
        'remove the role bindings': gone,
        'delete the virtual cluster': gone,
        'uninstall the control plane': gone,
        [stuck]: fromPromise<string, Assignment>(async () => {
          attempts += 1
          if (attempts >= MANY) released(undefined)
          throw new Failed({ reason, stage: 'virtual cluster', message: `the host says ${reason}` })
        }),
        'remove the finalizer': fromPromise<string, Assignment>(({ input }) => {
          released(input.leftBehind ?? [])
          return new Promise(() => undefined)
        }),
        'write the status': fromPromise<string, Assignment>(async ({ input }) => input.wanted),
        rest: fromCallback(({ input, sendBack }) => {
          const { task } = input as RestInput
          if (task !== 'status') queueMicrotask(() => sendBack({ type: 'rest.ended', task }))
        }),
      },
    }),
    {
      input: {
        instance: instance({
          deletionTimestamp: '2026-01-01T00:00:00Z',
          spec: { install: {}, deletionPolicy: 'Delete' },
        }),
        leading: true,
      },
    },
  )
  actor.start()
  const leftBehind = await over
  actor.stop()
  return { attempts, leftBehind }
}

describe.each(Object.entries(reachOfHost) as [keyof typeof reachOfHost, string][])(
  'the attempt to %s',
  (step, sentence) => {
    it('ends after six attempts when the host does not know the type, and the leftover is passed on', async () => {
      expect(await takenDownOnHost(step, 'NotServed')).toEqual({
        attempts: 6,
        leftBehind: [`${sentence}the host says NotServed`],
      })
    })

    it.each<FailureReason>(['Forbidden', 'Unavailable', 'StillThere', 'Unreachable'])(
      'is tried until it succeeds where the host answers %s',
      async reason => {
        expect(await takenDownOnHost(step, reason)).toEqual({ attempts: MANY, leftBehind: undefined })
      },
    )
  },
)

it('one attempt is enough for an object that was never created', async () => {
  expect(await takenDown('Unreachable', {})).toMatchObject({ outcome: 'passed', attempts: 1 })
})

it.each<FailureReason>(['Conflict', 'StillThere', 'Throttled', 'Unexpected'])(
  'a control plane that answers (%s) is never given up',
  async reason => {
    expect(await takenDown(reason, materialized)).toMatchObject({ outcome: 'still trying', attempts: MANY })
  },
)
