import { describe, expect, it } from 'vitest'
import { aggregatedStatus } from '../../karmada/interpreter/aggregate-status.js'
import { dependenciesOf } from '../../karmada/interpreter/dependencies.js'
import { isHealthy } from '../../karmada/interpreter/health.js'
import { reflectedStatus } from '../../karmada/interpreter/reflect-status.js'
import { replicasOf, withReplicas } from '../../karmada/interpreter/replicas.js'
import { RetainError, retained } from '../../karmada/interpreter/retain.js'
import type { Resource } from '../../karmada/interpreter/workload.js'

const NOW = '2026-01-03T00:00:00Z'

const deployment = (spec: object, status: object = {}, metadata: object = {}): Resource =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default', generation: 2, ...metadata },
    spec,
    status,
  }) as Resource
const pods = (spec: object) => ({ template: { spec } })
const object = (apiVersion: string, kind: string, rest: object): Resource =>
  ({ apiVersion, kind, metadata: { name: 'it', namespace: 'default' }, ...rest }) as Resource

describe('replicas', () => {
  it('request the sum of the containers, or the largest init container', () => {
    const containers = [
      { resources: { requests: { cpu: '500m', memory: '128Mi' } } },
      { resources: { limits: { cpu: '1' } } },
    ]
    const initContainers = [{ resources: { requests: { cpu: '100m', memory: '1Gi' } } }]
    expect(replicasOf(deployment({ replicas: 3, ...pods({ containers, initContainers }) }))).toEqual({
      replicas: 3,
      requirements: { resourceRequest: { cpu: '1500m', memory: '1Gi' } },
    })
  })

  it('of a Job are its parallelism, at most its completions', () =>
    expect(replicasOf(object('batch/v1', 'Job', { spec: { parallelism: 5, completions: 2 } }))).toEqual({
      replicas: 2,
    }))

  it('are undefined for kinds that are not divided', () =>
    expect(replicasOf(object('v1', 'ConfigMap', {}))).toBeUndefined())

  it('are only changed when the template has the field', () => {
    expect(withReplicas(deployment({ replicas: 1 }), 4).spec?.replicas).toBe(4)
    expect(withReplicas(deployment({}), 4).spec?.replicas).toBeUndefined()
  })
})

describe('dependencies', () => {
  const spec = {
    serviceAccountName: 'robot',
    imagePullSecrets: [{ name: 'pull' }],
    containers: [{ envFrom: [{ configMapRef: { name: 'env' } }, { secretRef: { name: 'env-secret' } }] }],
    volumes: [
      { name: 'a', configMap: { name: 'files' } },
      { name: 'b', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'c', projected: { sources: [{ secret: { name: 'token' } }, { configMap: { name: 'env' } }] } },
    ],
  }
  const names = (resource: Resource) => dependenciesOf(resource).map(({ kind, name }) => `${kind}/${name}`)

  it('of a workload are the objects that its pods reference, each once', () =>
    expect(names(deployment(pods(spec)))).toEqual([
      ...['ConfigMap/env', 'ConfigMap/files', 'Secret/pull', 'Secret/env-secret', 'Secret/token'],
      ...['ServiceAccount/robot', 'PersistentVolumeClaim/data'],
    ]))

  it('do not include the default ServiceAccount or the claims that a StatefulSet creates', () =>
    expect(
      names(
        object('apps/v1', 'StatefulSet', {
          spec: {
            ...pods({ ...spec, serviceAccountName: 'default' }),
            volumeClaimTemplates: [{ metadata: { name: 'data' } }],
          },
        }),
      ),
    ).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(ServiceAccount|PersistentVolumeClaim)/)])))
})

describe('health', () => {
  const rolledOut = { observedGeneration: 2, updatedReplicas: 3, availableReplicas: 3 }

  it.each([
    ['rolled out', { replicas: 3 }, rolledOut, true],
    ['not observed yet', { replicas: 3 }, { ...rolledOut, observedGeneration: 1 }, false],
    ['not all updated', { replicas: 4 }, rolledOut, false],
    ['not all available', { replicas: 3 }, { ...rolledOut, availableReplicas: 2 }, false],
  ])('of a Deployment that is %s is %s', (_, spec, status, healthy) =>
    expect(isHealthy(deployment(spec, status))).toBe(healthy),
  )

  it('is undefined for kinds without an interpreter', () =>
    expect(isHealthy(object('v1', 'ConfigMap', {}))).toBeUndefined())
})

describe('status', () => {
  it('of a Deployment is reported with its generations', () =>
    expect(
      reflectedStatus(
        deployment(
          {},
          { replicas: 2, observedGeneration: 2, conditions: [] },
          { annotations: { 'resourcetemplate.karmada.io/generation': '7' } },
        ),
      ),
    ).toEqual({ generation: 2, resourceTemplateGeneration: 7, replicas: 2, observedGeneration: 2 }))

  it('of a Deployment that says nothing is not reported', () =>
    expect(reflectedStatus(object('apps/v1', 'Deployment', { status: {} }))).toBeUndefined())

  it.each(['ReplicaSet', 'StatefulSet'])(
    'of a %s that says nothing is reported, as Go writes its replicas',
    kind => expect(reflectedStatus(object('apps/v1', kind, { status: {} }))).toEqual({}),
  )

  it('of a Service without a load balancer is not reported', () =>
    expect(
      reflectedStatus(object('v1', 'Service', { spec: { type: 'ClusterIP' }, status: {} })),
    ).toBeUndefined())

  const report = (clusterName: string, replicas: number, resourceTemplateGeneration: number) => ({
    clusterName,
    status: {
      replicas,
      readyReplicas: replicas,
      generation: 1,
      observedGeneration: 1,
      resourceTemplateGeneration,
    },
  })

  it('of a template is the sum, and is observed when every member has observed it', () => {
    const template = deployment({}, { observedGeneration: 1 })
    const behind = aggregatedStatus(template, [report('a', 2, 2), report('b', 1, 1)], NOW)
    expect(behind).toMatchObject({ replicas: 3, readyReplicas: 3, observedGeneration: 1 })
    const caughtUp = aggregatedStatus(template, [report('a', 2, 2), report('b', 1, 2)], NOW)
    expect(caughtUp).toMatchObject({ observedGeneration: 2 })
  })

  it('of a Job fails with the first failed cluster, and names it', () => {
    const job = object('batch/v1', 'Job', {})
    const failed = { failed: 1, conditions: [{ type: 'Failed', status: 'True' }] }
    const status = aggregatedStatus(job, [{ clusterName: 'a', status: failed }, { clusterName: 'b' }], NOW)
    expect(status?.conditions).toMatchObject([
      { type: 'Failed', message: 'Job executed failed in member clusters a', lastTransitionTime: NOW },
    ])
  })

  it('of load balancers has each address once', () => {
    const ingress = (...ips: string[]) => ({ loadBalancer: { ingress: ips.map(ip => ({ ip })) } })
    const service = object('v1', 'Service', { spec: { type: 'LoadBalancer' } })
    const items = [
      { clusterName: 'a', status: ingress('10.0.0.2') },
      { clusterName: 'b', status: ingress('10.0.0.1', '10.0.0.2') },
    ]
    expect(aggregatedStatus(service, items, NOW)).toEqual(ingress('10.0.0.1', '10.0.0.2'))
  })
})

describe('retain, with a member’s object,', () => {
  it('keeps the cluster IP of a Service', () => {
    const service = (spec: object) => object('v1', 'Service', { spec })
    expect(retained(service({ ports: [1] }), service({ clusterIP: '10.1.1.1', ports: [2] })).spec).toEqual({
      ports: [1],
      clusterIP: '10.1.1.1',
    })
  })

  it('keeps the replicas of a Deployment when the template asks for it', () => {
    const labels = { 'resourcetemplate.karmada.io/retain-replicas': 'true' }
    const observed = deployment({ replicas: 9 })
    expect(retained(deployment({ replicas: 1 }, {}, { labels }), observed).spec?.replicas).toBe(9)
    expect(retained(deployment({ replicas: 1 }), observed).spec?.replicas).toBe(1)
    expect(() => retained(deployment({ replicas: 1 }, {}, { labels }), deployment({}))).toThrow(RetainError)
  })
})
