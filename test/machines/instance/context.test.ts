import { describe, expect, it } from 'vitest'
import { initialTransition } from 'xstate'
import type { InstanceContext } from '../../../machines/instance/context.js'
import { instanceMachine } from '../../../machines/instance/instance.js'
import { isNews, reduceFact } from '../../../machines/instance/reduce-fact.js'
import { type FactName, facts, instance } from './facts.js'

/** What an instance knows that was told these facts. */
const knowing = (...names: FactName[]): InstanceContext => {
  const [{ context }] = initialTransition(instanceMachine, { instance: instance(), leading: true })
  return names.reduce((knowledge, name) => reduceFact(knowledge, facts[name]), context)
}
/** The same fact, as another object: watches parse anew. */
const again = (name: FactName) => structuredClone(facts[name])

describe('a fact from a watch on the host', () => {
  it.each<FactName>([
    'noVirtualCluster',
    'syncing',
    'registered',
    'unregistered',
    'bindings',
    'notInstalled',
  ])('is sent the first time and not the second: %s', name => {
    expect(isNews(knowing(), again(name))).toBe(true)
    expect(isNews(knowing('synced', 'refused', name), again(name))).toBe(false)
  })

  it('is sent when the comparison of its kind reports a change', () => {
    expect(isNews(knowing('syncing'), again('synced'))).toBe(true)
    expect(isNews(knowing('registered'), again('refused'))).toBe(true)
  })

  it('is not sent when contact is reported again without a loss', () => {
    expect(isNews(knowing('hostLost'), again('hostBack'))).toBe(true)
    expect(isNews(knowing('hostLost', 'hostBack'), again('hostBack'))).toBe(false)
  })

  it('is sent again after contact was lost', () => {
    expect(isNews(knowing('synced', 'hostLost'), again('synced'))).toBe(true)
  })

  it('is always sent when more than the fact depends on it', () => {
    const known = knowing('resolved', 'healthy', 'distinct', 'leading')
    for (const name of ['healthy', 'distinct', 'leading', 'claimed'] as const)
      expect(isNews(known, again(name))).toBe(true)
  })
})
