import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { promoteDeployment } from '../../../../http/rpc/apps/promote-deployment.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { silent } from '../../../silent.js'
import { recordingObjects } from '../recording-objects.js'

const call = { signal: new AbortController().signal, log: silent } as unknown as Call
const request = { instance: 'north', cluster: 'm1', namespace: 'a', name: 'x', services: [], dryRun: false }
const volumes = ['settings', 'kube-root-ca.crt'].map(name => ({ name, configMap: { name } }))

/** A member with a Deployment, its ConfigMaps and Services; the control plane has what is named. */
const world = (
  inControlPlane: readonly string[] = [],
  more: object = {},
  propagationpolicies: readonly object[] = [],
) =>
  recordingObjects(
    (id, { kind }) => {
      if (!id.startsWith('m1/')) return inControlPlane.includes(id) ? {} : undefined
      if (kind !== 'Deployment') return {}
      return { spec: { template: { spec: { containers: [], volumes } } }, ...more }
    },
    { propagationpolicies },
  )
/** Objects that were created and not just tried. */
const made = ({ writes }: ReturnType<typeof world>) =>
  writes().flatMap(({ verb, object, options }) =>
    verb === 'create' && !(options as { dryRun?: boolean } | undefined)?.dryRun ? [object as KubeObject] : [],
  )
const names = (objects: readonly KubeObject[]) =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)

describe('a promoted Deployment', () => {
  it('takes its configuration along, but not what every cluster has of its own', async () => {
    const all = world()
    await promoteDeployment(all.objects, call, { ...request, services: ['web', 'web'] })
    const [, policy, ...templates] = made(all)
    expect(names(templates)).toEqual(['Deployment x', 'Service web', 'ConfigMap settings'])
    expect(policy).toMatchObject({ kind: 'PropagationPolicy', spec: { conflictResolution: 'Overwrite' } })
    const there = world(['configmaps settings', 'namespaces a'])
    await promoteDeployment(there.objects, call, request)
    expect(names(made(there)).slice(1)).toEqual(['Deployment x'])
  })

  it('is tried dry with all that goes along, and nothing is made, not even its namespace', async () => {
    const all = world()
    await promoteDeployment(all.objects, call, { ...request, services: ['web'], dryRun: true })
    expect(made(all)).toEqual([])
    expect(names(all.writes().map(({ object }) => object as KubeObject)).slice(1)).toEqual([
      ...['Deployment x', 'Service web', 'ConfigMap settings'],
    ])
    const taken = world(['deployments x'])
    await expect(promoteDeployment(taken.objects, call, { ...request, dryRun: true })).rejects.toMatchObject({
      code: 6,
    })
  })

  it('with anything beside it has a policy that is suspended until all templates are there', async () => {
    const held = { dispatching: true }
    const two = world()
    await promoteDeployment(two.objects, call, request)
    expect(made(two)[1]).toMatchObject({ spec: { suspension: held } })
    expect(two.writes().at(-1)).toMatchObject({
      ...{ verb: 'patch', resource: 'propagationpolicies' },
      patch: { body: { spec: { suspension: null } } },
    })
    const one = world(['configmaps settings'])
    await promoteDeployment(one.objects, call, request)
    expect(JSON.stringify(made(one))).not.toContain('suspension')
    expect(one.writes().at(-1)?.verb).toBe('create')
  })

  it.each<[string, object, string | undefined]>([
    [
      'of a higher priority',
      { priority: 1, resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }] },
      'Deployment',
    ],
    [
      'that goes before by its name alone',
      { resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' }] },
      'Deployment',
    ],
    [
      'of its configuration',
      { priority: 1, resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }] },
      'ConfigMap',
    ],
    [
      'that is less precise',
      { resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }] },
      undefined,
    ],
    [
      'of other objects',
      { priority: 9, resourceSelectors: [{ apiVersion: 'v1', kind: 'Secret' }] },
      undefined,
    ],
  ])(
    'beside a policy %s is refused where that would place it, also when it is tried',
    async (_, spec, kind) => {
      for (const dryRun of [true, false]) {
        const all = world([], {}, [{ metadata: { name: 'a-first', namespace: 'a' }, spec }])
        const promoting = promoteDeployment(all.objects, call, { ...request, dryRun })
        if (kind === undefined) {
          await promoting
          continue
        }
        await expect(promoting).rejects.toMatchObject({
          details: { reason: 'OutrankedPolicy' },
          message: expect.stringMatching(`PropagationPolicy a/a-first .* would place ${kind} a/`),
        })
        expect(all.writes()).toEqual([])
      }
    },
  )

  it('is refused where Karmada manages it, or the control plane has one, and nothing is created', async () => {
    const managed = { metadata: { labels: { 'karmada.io/managed': 'true' } } }
    const of = world([], managed)
    await expect(promoteDeployment(of.objects, call, request)).rejects.toMatchObject({
      details: { reason: 'AlreadyManaged' },
    })
    const taken = world(['deployments x'])
    await expect(promoteDeployment(taken.objects, call, request)).rejects.toMatchObject({ code: 6 })
    expect([...of.writes(), ...taken.writes()]).toEqual([])
  })
})
