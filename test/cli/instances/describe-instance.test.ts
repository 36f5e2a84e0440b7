import { describe, expect, it } from 'vitest'
import { describeInstance } from '../../../cli/instances/describe-instance.js'
import { type Config, defaults } from '../../../config.js'
import { asking, eu } from '../scripted-client.js'

/** What `describe instance eu` prints of this explanation. */
async function described(explanation: object, given: Partial<Config> = {}): Promise<string> {
  const it = asking({ get: async () => ({ instance: eu, ...explanation }) })
  await describeInstance(
    { ...it, out: text => it.out.push(text), err: text => it.err.push(text) },
    { ...defaults('describe instance'), ...given },
    'eu',
  )
  return it.out.join('')
}
/** The lines of one section. */
const sectionOf = (text: string, title: string): string[] =>
  (text.split(`\n${title}:\n`)[1] ?? '')
    .split('\n\n')[0]!
    .trimEnd()
    .split('\n')
    .map(line => line.trim())

const at = (second: number) => new Date(second * 1000 + 250).toISOString()
const moved = (second: number, from: string, to: string, event: string, cause: string) => ({
  time: at(second),
  ...{ from, to, event, cause },
})

it('describe instance --watch describes it again when it changes, and not when another one does whose name contains its own', async () => {
  let asked = 0
  const other = { ...eu, metadata: { ...eu.metadata, name: 'eu-west' } }
  const it = asking({
    get: async () => ({ instance: { ...eu, spec: { ...eu.spec, alias: `answer ${++asked}` } } }),
    async *stream() {
      yield { type: 'ADDED', instance: eu }
      yield { type: 'MODIFIED', instance: other }
      yield { type: 'MODIFIED', instance: eu }
    },
  })
  const context = {
    ...it,
    out: (text: string) => it.out.push(text),
    err: (text: string) => it.err.push(text),
  }
  await describeInstance(context, { ...defaults('describe instance'), watch: true }, 'eu')
  expect(it.out.join('').match(/answer \d/g)).toEqual(['answer 1', 'answer 2'])
})

it('describe instance prints the phase, since when, its conditions, and its transitions', async () => {
  expect(
    await described({
      configuration: ['ready.watching'],
      pending: ['next probe in 4 s'],
      transitions: [moved(31, 'virtualClusterSynced.publishing', 'ready', 'registered', 'all hold')],
      leading: true,
      leader: 'replica-1',
    }),
  ).toBe(`Name:         eu
Alias:        Europe
Phase:        Ready for 60s
Endpoint:     https://10.0.0.1:5443
Karmada:      v1.18.2
Kubernetes:   v1.36.2
Credentials:  Secret kairship-system/eu
Clusters:     1 of 2 ready
Nodes:        6 of 6 ready
Acted on by:  replica-1 (the one that answered)

Conditions:
  TYPE    STATUS   FOR   REASON    MESSAGE
  Ready   True     60s   AllHold

Now:
  next probe in 4 s

Transitions:
  TIME           FROM                                TO      CAUSE
  00:00:31.250   VirtualClusterSynced (publishing)   Ready   all hold
`)
})

describe('the transitions that describe instance prints', () => {
  const transitions = [
    moved(1, 'recalling', 'registering.accepting', 'xstate.init', 'the actor started'),
    moved(2, 'registering.accepting', 'registering.resolvingCredentials', 'instance.observed', 'it changed'),
    moved(3, 'roleBindings.settled', 'roleBindings.acting', 'roleBindings.observed', 'bindings changed'),
    moved(4, 'roleBindings.confirming', 'roleBindings.pausing', 'xstate.done.actor', 'succeeded'),
    moved(5, 'statistics.idle', 'statistics.gathering', 'controlPlane.probed', 'answered'),
    moved(6, 'registering.reaching', 'virtualClusterSynced.syncing', 'virtualCluster.observed', 'made'),
    moved(7, 'ready', 'unpublishing.acting', 'instance.observed', 'deletion was requested'),
    moved(8, 'unpublishing.acting', 'unpublishing.resting', 'xstate.error.actor', 'failed'),
    moved(9, 'unpublishing.resting', 'removingRoleBindings.acting', 'xstate.done.actor', 'withdrawn'),
    moved(10, 'releasing.acting', 'released', 'xstate.done.actor', 'the finalizer is gone'),
    moved(11, 'released', 'gone', 'instance.removed', 'the CR is gone'),
  ]

  it('are those of the phase, with kubectl’s names, and none of other regions', async () => {
    const shown = sectionOf(await described({ transitions }), 'Transitions')
    expect(shown.map(line => line.split(/\s{2,}/).slice(1))).toEqual([
      ['FROM', 'TO', 'CAUSE'],
      ['-', 'Registering (accepting)', 'the actor started'],
      ['Registering (accepting)', 'Registering (resolving credentials)', 'it changed'],
      ['Registering (reaching)', 'VirtualClusterSynced (syncing)', 'made'],
      ['Ready', 'Deleting (unpublishing)', 'deletion was requested'],
      ['Deleting (unpublishing)', 'Deleting (removing role bindings)', 'withdrawn'],
      ['Deleting (releasing)', 'Deleting (released)', 'the finalizer is gone'],
      ['Deleting (released)', 'Gone', 'the CR is gone'],
    ])
  })

  it('are the last fifteen of the phase, however many others follow them', async () => {
    const flips = Array.from({ length: 20 }, (_, second) =>
      moved(
        second,
        second % 2 ? 'ready' : 'degraded',
        second % 2 ? 'degraded' : 'ready',
        'probed',
        `${second}`,
      ),
    )
    const others = Array.from({ length: 70 }, (_, second) =>
      moved(second, 'roleBindings.pausing', 'roleBindings.settled', 'rest.ended', 'x'),
    )
    const shown = sectionOf(await described({ transitions: [...flips, ...others] }), 'Transitions')
    expect(shown.slice(1).map(line => line.split(/\s{2,}/).at(-1))).toEqual(
      Array.from({ length: 15 }, (_, index) => String(index + 5)),
    )
  })

  it('with -o wide are all that the server keeps, each with its event and the machine’s names', async () => {
    const text = await described({ transitions, configuration: ['ready', 'index.idle'] }, { output: 'wide' })
    const shown = sectionOf(text, 'Transitions')
    expect(shown).toHaveLength(1 + transitions.length)
    expect(shown.map(line => line.split(/\s{2,}/).slice(1)).slice(0, 4)).toEqual([
      ['FROM', 'TO', 'EVENT', 'CAUSE'],
      ['recalling', 'registering.accepting', 'xstate.init', 'the actor started'],
      ['registering.accepting', 'registering.resolvingCredentials', 'instance.observed', 'it changed'],
      ['roleBindings.settled', 'roleBindings.acting', 'roleBindings.observed', 'bindings changed'],
    ])
    expect(sectionOf(text, 'Machine state')).toEqual(['ready', 'index.idle'])
  })

  it('are omitted when none is of the phase', async () => {
    expect(await described({ transitions: transitions.slice(2, 5) })).not.toContain('Transitions')
  })
})
