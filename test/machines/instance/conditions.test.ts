import { describe, expect, it } from 'vitest'
import { initialTransition, transition } from 'xstate'
import { conditionsOf } from '../../../machines/instance/conditions.js'
import type { InstanceEvent } from '../../../machines/instance/events.js'
import { instanceMachine } from '../../../machines/instance/instance.js'
import { type FactName, facts, instance } from './facts.js'

/** The conditions of an instance after some facts, by type. */
function conditionsAfter(start: Parameters<typeof instance>[0], ...known: (FactName | InstanceEvent)[]) {
  let [snapshot] = initialTransition(instanceMachine, { instance: instance(start), leading: true })
  for (const one of known)
    [snapshot] = transition(instanceMachine, snapshot, typeof one === 'string' ? facts[one] : one)
  return Object.fromEntries(conditionsOf(snapshot.context).map(({ type, ...rest }) => [type, rest]))
}

describe('a duplicate', () => {
  it.each([
    ['endpoint', 'DuplicateEndpoint', 'the same endpoint'],
    ['control plane', 'DuplicateControlPlane', 'the same control plane (same kube-system uid)'],
  ] as const)(
    'by its %s is told which older Instance it repeats, whatever stands there',
    (shares, reason, what) => {
      // The older one may have adopted a plain cluster, of which it manages nothing.
      const first = { name: 'eldest', shares }
      const { Accepted } = conditionsAfter({}, 'resolved', { type: 'duplicate.observed', first })
      expect(Accepted).toEqual({
        status: 'False',
        reason,
        message: `the kubeconfig of instance eldest, which is older, leads to ${what}; delete one of the two`,
      })
    },
  )
})
