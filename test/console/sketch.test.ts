import { describe, expect, it } from 'vitest'
import { manifestsIn } from '../../console/editor/manifest.js'
import { type WorkloadKind, workloadKinds } from '../../console/kube/workload-kinds.js'
import { mistakesOf, sketchOf, type WorkloadFields } from '../../console/workloads/create/sketch.js'

const wishes: WorkloadFields = {
  kind: 'deployments',
  name: 'web',
  namespace: 'shop',
  image: 'nginx:1.27',
  replicas: 3,
  port: 80,
  schedule: '0 3 * * *',
  command: '',
  withPolicy: true,
  clusters: ['one', 'two'],
  isDivided: true,
}
const read = (part: Partial<WorkloadFields> = {}) =>
  manifestsIn(sketchOf({ ...wishes, ...part })).map(({ document }) =>
    JSON.parse(
      JSON.stringify(document.toJS({ mapAsMap: false }), (_, value) =>
        typeof value === 'bigint' ? Number(value) : value,
      ),
    ),
  )

describe('the form of a new workload', () => {
  it('makes the workload, and the policy that places it in the chosen clusters', () => {
    const [deployment, policy] = read()
    expect(deployment).toMatchObject({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        replicas: 3,
        template: { spec: { containers: [{ image: 'nginx:1.27', ports: [{ containerPort: 80 }] }] } },
      },
    })
    expect(deployment.spec.selector.matchLabels).toEqual(deployment.spec.template.metadata.labels)
    expect(policy.spec).toEqual({
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
      placement: {
        clusterAffinity: { clusterNames: ['one', 'two'] },
        replicaScheduling: {
          replicaSchedulingType: 'Divided',
          replicaDivisionPreference: 'Weighted',
          weightPreference: { dynamicWeight: 'AvailableReplicas' },
        },
      },
    })
  })

  it('names no clusters where all are chosen, and divides only workloads with replicas', () => {
    expect(read({ clusters: [], kind: 'daemonsets' })[1].spec.placement).toEqual({})
  })

  it.each(Object.keys(workloadKinds) as WorkloadKind[])(
    'makes %s without anchors, which nobody would write',
    kind => {
      expect(sketchOf({ ...wishes, kind, command: 'date' })).not.toMatch(/[&*]a\d/)
      expect(read({ kind })[0].kind).toBe(workloadKinds[kind].kind)
    },
  )

  it.each([
    [{ name: 'Web' }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'a'.repeat(64) }, 'name'],
    [{ namespace: '-a' }, 'namespace'],
    [{ image: 'a b' }, 'image'],
    [{ kind: 'cronjobs', schedule: 'daily' }, 'schedule'],
  ] as const)('does not accept %j', (part, field) => {
    const mistakes = mistakesOf({ ...wishes, ...part })
    expect(Object.entries(mistakes).flatMap(([name, is]) => (is ? [name] : []))).toEqual([field])
  })

  it.each([
    ['', 'missing'],
    ['Web', 'wrong'],
    ['web', undefined],
  ])('says of the name "%s" whether it is missing or wrong', (name, mistake) => {
    expect(mistakesOf({ ...wishes, name }).name).toBe(mistake)
    expect(mistakesOf({ ...wishes, namespace: name }).namespace).toBe(mistake)
  })
})
