import { describe, expect, it } from 'vitest'
import type { Stage } from '../../../machines/failure.js'
import type { Task, TeardownStep } from '../../../machines/instance/task.js'
import type { InstanceSpec } from '../../../manifests/instance.js'
import { done, fails, reached, rested, type Step, walked, whole } from './walked.js'

const adopted: InstanceSpec = { kubeconfigSecretRef: { namespace: 'fleet', name: 'alpha' } }
const deletionTimestamp = '2026-01-01T00:00:00Z'
/** The effects of a deletion in which each step succeeds, in their order. */
function teardownOf(spec: InstanceSpec): string[] {
  const steps: Step[] = []
  const effects: string[] = []
  for (;;) {
    const { region, work } = walked({ spec, deletionTimestamp }, ...steps)
    effects.push(...work)
    const teardown = region('teardown')
    if (typeof teardown === 'string') return [...effects, teardown]
    steps.push(done(Object.keys(teardown as object)[0] as TeardownStep, 'gone'))
  }
}
const always = [
  'withdraw the registration',
  'remove the role bindings',
  'delete the virtual cluster',
  'remove the finalizer',
]

describe('a teardown', () => {
  it.each<[string, InstanceSpec, readonly string[]]>([
    ['of an adopted instance', adopted, always],
    ['of an adopted instance, whatever its policy', { ...adopted, deletionPolicy: 'Delete' }, always],
    ['of an installed one that shall stay', { install: {}, deletionPolicy: 'Retain' }, always],
    [
      'of an installed one that shall go',
      { install: {}, deletionPolicy: 'Delete' },
      [...always.slice(0, 3), 'uninstall the control plane', 'remove the finalizer'],
    ],
  ])('%s takes its steps in order, each after the confirmation of the one before', (_what, spec, effects) =>
    expect(teardownOf(spec)).toEqual([...effects, 'released']),
  )

  const unpublishing: Step[] = [...whole, 'deletionAsked']
  const failed = fails('unpublishing')

  it.each<[string, Step[], string, string[]]>([
    ['rests after a failure', [failed], 'resting', []],
    ['tries again after the rest', [failed, rested('unpublishing')], 'acting', ['withdraw the registration']],
    ['aborts its step when it does not lead any more', ['following'], 'standby', []],
    ['leaves a failed step to the replica that leads', [failed, 'following'], 'standby', []],
    [
      'does not repeat a defect',
      [fails('unpublishing', 'NotProvided'), rested('unpublishing')],
      'resting',
      [],
    ],
  ])('%s', (_claim, steps, state, work) => {
    const { region, work: begun } = walked({}, ...unpublishing, ...steps)
    expect([region('teardown'), begun]).toEqual([{ unpublishing: state }, work])
  })

  it('backs off longer after each consecutive failure, and reports until when', () => {
    const restAfter = (...steps: Step[]) => walked({}, ...unpublishing, ...steps, failed).started[0]?.input
    expect(restAfter()).toEqual({ task: 'unpublishing', ms: 1_000, announce: true })
    expect(restAfter(failed, rested('unpublishing'))).toMatchObject({ ms: 2_000 })
  })

  it('reports leftovers, and no failure that a retry resolved', () => {
    const leftBehind = (...steps: Step[]) =>
      walked({}, ...unpublishing, ...steps).started.find(({ src }) => src === 'remove the finalizer')?.input
        .leftBehind
    const overcome: Step[] = [failed, rested('unpublishing'), done('unpublishing', 'gone')]
    const removed = done('removingRoleBindings', 'gone')
    const gone = done('deletingVirtualCluster', 'gone')
    expect(leftBehind(...overcome, removed, gone)).toEqual([])
    // No role binding was ever materialized: one failure is enough to go on without the control plane.
    expect(leftBehind(...overcome, fails('removingRoleBindings', 'Unreachable'), gone)).toEqual([
      'RBAC objects labelled kairship.io/role-binding and the ConfigMap kairship-index-canary in kube-system were left inside: removingRoleBindings: Unreachable',
    ])
  })

  it('never skips its last step, which removes the finalizer', () => {
    const steps: Step[] = ['unpublishing', 'removingRoleBindings', 'deletingVirtualCluster'].map(step =>
      done(step as Task, 'gone'),
    )
    for (let tries = 0; tries < 10; tries++) steps.push(fails('releasing', 'NotServed'), rested('releasing'))
    expect(walked({}, ...unpublishing, ...steps).region('teardown')).toEqual({ releasing: 'acting' })
  })
})

it.each<[Task, Stage, Step[], Parameters<typeof walked>[0]]>([
  ['finalizer', 'finalizer', [], { finalizers: [] }],
  ['installation', 'installation', ['notInstalled'], { spec: { install: {} } }],
  ['virtualCluster', 'virtual cluster', [...reached], {}],
  ['registration', 'registration', ['resolved', 'healthy', 'distinct', 'syncing', 'unregistered'], {}],
  ['roleBindings', 'role bindings', ['resolved', 'healthy', 'distinct', 'bindings'], {}],
  ['status', 'status', [rested('status')], {}],
  ['unpublishing', 'registration', [], { deletionTimestamp }],
  ['removingRoleBindings', 'role bindings', [done('unpublishing', 'gone')], { deletionTimestamp }],
  [
    'deletingVirtualCluster',
    'virtual cluster',
    [done('unpublishing', 'gone'), done('removingRoleBindings', 'gone')],
    { deletionTimestamp },
  ],
  [
    'uninstalling',
    'uninstallation',
    (['unpublishing', 'removingRoleBindings', 'deletingVirtualCluster'] as const).map(step =>
      done(step, 'gone'),
    ),
    { deletionTimestamp, spec: { install: {}, deletionPolicy: 'Delete' } },
  ],
  [
    'releasing',
    'finalizer',
    (['unpublishing', 'removingRoleBindings', 'deletingVirtualCluster'] as const).map(step =>
      done(step, 'gone'),
    ),
    { deletionTimestamp },
  ],
])(
  'an error without a reason in the effect of %s is reported as one of the %s',
  (task, stage, steps, start) => {
    const error = { ...fails(task), error: new Error('boom') }
    expect(walked(start, ...steps, error).snapshot.context.work[task]).toMatchObject({
      attempts: 1,
      failure: { reason: 'Unexpected', stage, message: 'boom' },
    })
  },
)
