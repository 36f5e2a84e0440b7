import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../manifests/kube.js'
import {
  planResourceQuota,
  quotasOf,
  type ResourceQuota,
} from '../../../../playground/member/controllers/resource-quota.js'
import { worldOf } from './world.js'

const quota = (spec: ResourceQuota['spec'], namespace = 'a'): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { namespace, name: 'limit' },
  ...(spec && { spec }),
})
const pod = (name: string, requests: object, phase = 'Running', namespace = 'a'): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name },
    spec: {
      containers: [{ name: 'a', resources: { requests, limits: { cpu: '1' } } }],
      initContainers: [{ name: 'i', resources: { requests: { memory: '64Mi' } } }],
    },
    status: { phase },
  }) as unknown as KubeObject
const service: KubeObject = { apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'a', name: 's' } }

const hard = {
  cpu: '2',
  'requests.memory': '1Gi',
  'limits.cpu': '4',
  pods: '9',
  'count/pods': '9',
  services: '3',
  secrets: '5',
}
const world = worldOf(0, {
  pods: [
    pod('one', { cpu: '100m', memory: '32Mi' }),
    pod('two', { cpu: '250m', memory: '128Mi' }, 'Pending'),
    pod('over', { cpu: '900m' }, 'Succeeded'),
    pod('elsewhere', { cpu: '900m' }, 'Running', 'b'),
  ],
  services: [service],
  resourcequotas: [quota({ hard }), quota({ hard }, 'b')],
})

describe('a ResourceQuota in a member', () => {
  it('reports what the pods of its namespace use that have not ended, and what can be counted', () => {
    expect(planResourceQuota(quota({ hard }), world).status).toEqual({
      hard,
      used: {
        cpu: '350m',
        'requests.memory': '192Mi',
        'limits.cpu': '2',
        pods: '2',
        'count/pods': '3',
        services: '1',
      },
    })
  })

  it('reports zero where nothing is used, and no use where it has scopes', () => {
    const empty = quota({ hard: { cpu: '1', pods: '1' } }, 'nowhere')
    expect(planResourceQuota(empty, world).status).toEqual({
      hard: { cpu: '1', pods: '1' },
      used: { cpu: '0', pods: '0' },
    })
    expect(planResourceQuota(quota({ hard, scopes: ['BestEffort'] }), world).status).toEqual({
      hard,
      used: {},
    })
  })

  it('is looked at again when something in its namespace changes', () => {
    expect(quotasOf(service, world)).toEqual(['a/limit'])
  })
})
