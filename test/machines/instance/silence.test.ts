import { describe, expect, it } from 'vitest'
import { initialTransition, transition } from 'xstate'
import { conditionsOf } from '../../../machines/instance/conditions.js'
import { instanceMachine } from '../../../machines/instance/instance.js'
import { stateOf } from '../../../machines/instance/invariants.js'
import { type FactName, facts, instance } from './facts.js'

const wasReady = { status: { phase: 'Ready' as const, conditions: [] } }

/** An actor of an instance that was ready before this process started, after some facts. */
function observing(start: Parameters<typeof instance>[0], ...names: FactName[]) {
  let [snapshot] = initialTransition(instanceMachine, { instance: instance(start), leading: true })
  for (const name of names) [snapshot] = transition(instanceMachine, snapshot, facts[name])
  const status = snapshot.context.wanted.status
  return {
    state: stateOf(snapshot),
    written: status === undefined ? undefined : JSON.parse(status),
    condition: (type: string) => conditionsOf(snapshot.context).find(condition => condition.type === type),
  }
}

describe('while a watch on the host is silent', () => {
  it.each<[string, FactName[], string]>([
    ['PediaClusters', ['synced', 'registered', 'hostLost'], 'VirtualClusterSynced'],
    ['PediaClusters, unknown to the host', ['registered', 'virtualClusterNotServed'], 'VirtualClusterSynced'],
    ['registrations', ['synced', 'registered', 'registrationsLost'], 'Registered'],
    ['both', ['hostLost', 'registrationsLost'], 'VirtualClusterSynced'],
  ])('of %s, the status says that the instance is degraded, and why', (_what, names, type) => {
    const { state, written, condition } = observing(wasReady, 'resolved', 'healthy', 'distinct', ...names)
    expect(state).toBe('degraded')
    expect(written).toMatchObject({ phase: 'Degraded' })
    expect(condition(type)).toMatchObject({ status: 'Unknown', message: expect.stringMatching(/: \w+$/) })
    expect(written.conditions).toContainEqual(condition(type))
  })

  it('the status of an instance that is being deleted is written', () => {
    const { written } = observing(
      { ...wasReady, deletionTimestamp: '2026-01-01T00:00:00Z' },
      ...(['resolved', 'healthy', 'distinct', 'virtualClusterNotServed', 'registrationsLost'] as const),
    )
    expect(written).toMatchObject({ phase: 'Deleting' })
  })

  it('the status of an earlier process is not overwritten before each source has answered or failed', () => {
    expect(observing(wasReady, 'resolved', 'healthy', 'distinct', 'registered').written).toBeUndefined()
    expect(observing(wasReady, 'resolved', 'distinct', 'registered', 'hostLost').written).toBeUndefined()
  })
})

describe('the message of Ready', () => {
  const messageOf = ({ condition }: ReturnType<typeof observing>, type: string) => condition(type)?.message

  it('names only the root cause: an installation explains the missing Secret', () => {
    const seen = observing({ spec: { install: {} } }, 'notInstalled', 'secretMissing')
    expect(seen.condition('Ready')).toMatchObject({
      reason: 'NotCreated',
      message: 'Installed: the Karmada object does not exist yet',
    })
    expect(messageOf(seen, 'CredentialsResolved')).toBe('credentials: SecretNotFound')
  })

  it('names only the control plane when it is unreachable, whatever else is unknown', () => {
    const seen = observing({}, 'resolved', 'unreachable', 'distinct', 'hostLost')
    expect(seen.condition('Ready')).toMatchObject({
      reason: 'Unreachable',
      message: 'ControlPlaneHealthy: control plane: Unreachable',
    })
    expect(messageOf(seen, 'AggregatedAPIHealthy')).toBe('aggregated API: Unreachable')
    expect(messageOf(seen, 'VirtualClusterSynced')).toBe('virtual cluster: Unreachable')
  })
})
