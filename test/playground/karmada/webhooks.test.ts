import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { FEDERATED_HPAS } from '../../../karmada/autoscaling/cron-scaling.js'
import { MULTI_CLUSTER_SERVICES } from '../../../karmada/networking/multi-cluster-service.js'
import type { KubeObject } from '../../../manifests/kube.js'
import type { StatusError } from '../../../manifests/status-error.js'
import { ensure, read, remove, update } from '../../../playground/client/write.js'
import { type Karmada, startKarmada } from '../../../playground/karmada/control-plane.js'
import { CONFIG_MAPS } from '../../../playground/objects/core-types.js'
import { silent } from '../../silent.js'
import { eventually } from '../eventually.js'
import { duplicated, POLICIES, policyFor } from './propagation-world.js'

let karmada: Karmada
beforeAll(async () => {
  karmada = await startKarmada({ name: 'k', connector: kubeConnector(), log: silent })
})
afterAll(() => karmada.close())

const control = () => karmada.server.local
const refusal = async (work: Promise<unknown>): Promise<StatusError> =>
  work.then(
    () => expect.fail('it was let pass'),
    (error: unknown) => error as StatusError,
  )
const settings = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    namespace: 'default',
    name: 'settings',
    labels: { 'resourcetemplate.karmada.io/deletion-protected': 'Always' },
  },
} as KubeObject
const PROTECTED =
  'admission webhook "resourcedeletionprotection.karmada.io" denied the request: This resource is protected, please make sure to remove the label: resourcetemplate.karmada.io/deletion-protected'

describe('an embedded Karmada', () => {
  it('refuses a policy with the message of Karmada’s webhook', async () => {
    const placement = { spreadConstraints: [{ spreadByField: 'region' }] }
    const { code, message } = await refusal(
      ensure(control(), POLICIES, policyFor('Deployment', 'web', placement)),
    )
    expect(code).toBe(403)
    expect(message).toBe(
      'admission webhook "propagationpolicy.karmada.io" denied the request: spec.placement.spreadConstraints: Invalid value: [{"spreadByField":"region","minGroups":1}]: the cluster spread constraint must be enabled in one of the constraints in case of SpreadByField is enabled',
    )
    expect(await read(control(), POLICIES, { namespace: 'default', name: 'p-web' })).toBeUndefined()
  })

  it.each([
    [
      FEDERATED_HPAS,
      'FederatedHPA',
      { scaleTargetRef: { kind: 'Deployment', name: 'web' }, minReplicas: 0, maxReplicas: 1 },
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
    ],
    [
      MULTI_CLUSTER_SERVICES,
      'MultiClusterService',
      { types: ['Local'] },
      'spec.types[0]: Invalid value: "Local": ExposureType Error',
    ],
  ])('refuses %o with the message of their webhook', async (type, kind, spec, message) => {
    const apiVersion = `${type.group}/${type.version}`
    const object = { apiVersion, kind, metadata: { namespace: 'default', name: 'web' }, spec } as KubeObject
    const refused = await refusal(ensure(control(), type, object))
    expect(refused.code).toBe(403)
    expect(refused.message).toBe(
      `admission webhook "${kind.toLowerCase()}.karmada.io" denied the request: ${message}`,
    )
  })

  it('refuses a policy that its webhook cannot decode', async () => {
    const policy = policyFor('Deployment', 'odd', duplicated('m1'))
    const odd = { ...policy, spec: { resourceSelectors: 'all', placement: {} } } as KubeObject
    const { code, message } = await refusal(ensure(control(), POLICIES, odd))
    expect([code, message]).toEqual([
      400,
      'admission webhook "propagationpolicy.karmada.io" denied the request: json: cannot unmarshal spec.resourceSelectors: Invalid input: expected array, received string',
    ])
  })

  it.each([
    ['spec.resourceSelectors', {}],
    ['spec.resourceSelectors', { spec: { placement: {} } }],
    [
      'spec.resourceSelectors[0].kind',
      { spec: { resourceSelectors: [{ apiVersion: 'apps/v1' }], placement: {} } },
    ],
  ])('leaves a policy without %s to the CRD', async (field, rest) => {
    const { spec: _, ...policy } = policyFor('Deployment', 'less', duplicated('m1')) as KubeObject & {
      spec: object
    }
    const { code, message } = await refusal(ensure(control(), POLICIES, { ...policy, ...rest }))
    expect(code).toBe(422)
    expect(message).toContain(`${field}: Required value`)
  })

  it('refuses an invalid change, and accepts valid ones', async () => {
    const made = await ensure(control(), POLICIES, policyFor('Deployment', 'app', duplicated('m1')))
    const change = (spec: object) =>
      update<KubeObject>(control(), POLICIES, made.metadata, one => {
        const before = (one as KubeObject & { readonly spec: object }).spec
        return { ...one, spec: { ...before, ...spec } } as KubeObject
      })
    expect((await refusal(change({ schedulerName: 'mine' }))).message).toBe(
      'admission webhook "propagationpolicy.karmada.io" denied the request: the schedulerName should not be updated',
    )
    expect(await change({ priority: 3 })).toMatchObject({ spec: { priority: 3 } })
  })

  it('gives a policy a new id in place of the one in the manifest', async () => {
    const brought = policyFor('Deployment', 'own', duplicated('m1'))
    const labels = { 'propagationpolicy.karmada.io/permanent-id': 'mine' }
    const made = await ensure(control(), POLICIES, {
      ...brought,
      metadata: { ...brought.metadata, labels },
    })
    expect(made.metadata.labels?.['propagationpolicy.karmada.io/permanent-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('refuses to delete a protected object until the label is removed, also in a deletecollection', async () => {
    await ensure(control(), CONFIG_MAPS, settings)
    expect((await refusal(remove(control(), CONFIG_MAPS, settings.metadata))).message).toBe(PROTECTED)
    const path = '/api/v1/namespaces/default/configmaps'
    expect((await refusal(control().request({ method: 'DELETE', path }))).message).toBe(PROTECTED)
    await update<KubeObject>(control(), CONFIG_MAPS, settings.metadata, one => ({
      ...one,
      metadata: { ...one.metadata, labels: {} },
    }))
    await remove(control(), CONFIG_MAPS, settings.metadata)
    await eventually('it to be gone', async () => !(await read(control(), CONFIG_MAPS, settings.metadata)))
  })
})
