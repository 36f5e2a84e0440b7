import { isMap, isSeq } from 'yaml'
import { isJsonObject } from '../../transcoding/json-object.js'
import { adding, type Change, removing, setting } from '../forms/changes.js'
import { changedObject, type FormObject, formTextOf } from '../forms/form-text.js'
import { at, list, number, text, texts } from '../forms/reading.js'
import type { FormProblem, Shape } from '../forms/shape.js'
import type { Division } from './policies.js'
import { policyKindOf, policyKinds } from './policy-kinds.js'

/** The form of a text. */
export type FormView =
  | { readonly spec: FormFields; readonly name: string; readonly namespace: string }
  /** Why there is no form. */
  | { readonly problem: FormProblem }

/** The fields of the form. The text may have more. */
export interface FormFields {
  readonly selectors: readonly Selector[]
  readonly clusters: readonly string[]
  /** Groups of clusters are tried in order. The form shows them and does not edit them. */
  readonly hasGroups: boolean
  readonly division: Division
  readonly weights: readonly Weight[]
  /** Weights by labels or of several clusters are edited as YAML. */
  readonly hasOtherWeights: boolean
  readonly priority: number
  readonly preempts: boolean
  readonly overwrites: boolean
  readonly propagatesDependencies: boolean
  readonly rules: readonly Rule[]
}

export interface Selector {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly hasLabels: boolean
}

export interface Weight {
  readonly cluster: string
  readonly weight: number
}

/** A rule of an override policy. */
export interface Rule {
  readonly clusters: readonly string[]
  readonly images: readonly ImageChange[]
  /** Other overriders, which are edited as YAML. */
  readonly others: readonly string[]
}

export interface ImageChange {
  readonly component: string
  readonly operator: string
  readonly value: string
}

const clusterNames: Shape = { clusterNames: [] }

/** The fields that the form reads and writes. */
const POLICY: Shape = {
  metadata: {},
  spec: {
    resourceSelectors: [{}],
    placement: {
      clusterAffinity: clusterNames,
      replicaScheduling: { weightPreference: { staticWeightList: [{ targetCluster: clusterNames }] } },
    },
    overrideRules: [{ targetCluster: clusterNames, overriders: { imageOverrider: [{}] } }],
  },
}

const KINDS = Object.values(policyKinds)
  .map(({ kind }) => kind)
  .join(' / ')

/** Reads the form's fields. A value of a type that Karmada does not accept counts as absent; the YAML shows it. */
export function formOf(given: string): FormView {
  const only = onlyObject(given)
  if ('is' in only) return { problem: only }
  const { object, name, namespace } = only
  return { spec: fieldsOf(at(object, 'spec')), name, namespace }
}

function onlyObject(given: string): FormObject | FormProblem {
  const read = formTextOf(given, () => POLICY)
  if ('problem' in read) return read.problem
  const [first, ...more] = read.objects
  if (first === undefined) return { is: 'empty' }
  if (more.length > 0) return { is: 'several' }
  return policyKindOf(first.kind) ? first : { is: 'otherKind', kind: KINDS }
}

/** The text after changes by the form. A text without a form stays as it is; `NoForm` shows the reason. */
export function changed(given: string, ...changes: readonly Change[]): string {
  const only = onlyObject(given)
  return 'is' in only ? given : changedObject(given, only.index, ...changes)
}

function fieldsOf(spec: unknown): FormFields {
  const placement = at(spec, 'placement')
  const scheduling = at(placement, 'replicaScheduling')
  const weights = list(at(scheduling, 'weightPreference', 'staticWeightList'))
  const single = weights.flatMap(one => {
    const [cluster, ...more] = texts(at(one, 'targetCluster', 'clusterNames'))
    return cluster !== undefined && more.length === 0 ? [{ cluster, weight: number(at(one, 'weight')) }] : []
  })
  return {
    selectors: list(at(spec, 'resourceSelectors')).map(one => ({
      apiVersion: text(at(one, 'apiVersion')),
      kind: text(at(one, 'kind')),
      namespace: text(at(one, 'namespace')),
      name: text(at(one, 'name')),
      hasLabels: at(one, 'labelSelector') !== undefined,
    })),
    clusters: texts(at(placement, 'clusterAffinity', 'clusterNames')),
    hasGroups: at(placement, 'clusterAffinities') !== undefined,
    division: divisionIn(scheduling),
    weights: single,
    hasOtherWeights: single.length < weights.length,
    priority: number(at(spec, 'priority')),
    preempts: at(spec, 'preemption') === 'Always',
    overwrites: at(spec, 'conflictResolution') === 'Overwrite',
    propagatesDependencies: at(spec, 'propagateDeps') === true,
    rules: list(at(spec, 'overrideRules')).map(rule => {
      const overriders = at(rule, 'overriders')
      return {
        clusters: texts(at(rule, 'targetCluster', 'clusterNames')),
        images: list(at(overriders, 'imageOverrider')).map(one => ({
          component: text(at(one, 'component')),
          operator: text(at(one, 'operator')),
          value: text(at(one, 'value')),
        })),
        others: isJsonObject(overriders)
          ? Object.keys(overriders).filter(name => name !== 'imageOverrider')
          : [],
      }
    }),
  }
}

function divisionIn(scheduling: unknown): Division {
  if (at(scheduling, 'replicaSchedulingType') !== 'Divided') return 'duplicated'
  if (at(scheduling, 'replicaDivisionPreference') !== 'Weighted') return 'aggregated'
  return at(scheduling, 'weightPreference', 'dynamicWeight') === undefined ? 'static' : 'dynamic'
}

/** Sets how replicas are divided: one choice sets several fields. */
export function dividing(division: Division): readonly Change[] {
  const scheduling = ['spec', 'placement', 'replicaScheduling']
  const set = (field: string, value?: string) => setting([...scheduling, field], value)
  const weights = [...scheduling, 'weightPreference']
  switch (division) {
    case 'duplicated':
      return [set('replicaSchedulingType', 'Duplicated'), set('replicaDivisionPreference'), removing(weights)]
    case 'aggregated':
      return [
        set('replicaSchedulingType', 'Divided'),
        set('replicaDivisionPreference', 'Aggregated'),
        removing(weights),
      ]
    case 'dynamic':
      return [
        set('replicaSchedulingType', 'Divided'),
        set('replicaDivisionPreference', 'Weighted'),
        setting(weights, { dynamicWeight: 'AvailableReplicas' }),
      ]
    case 'static':
      return [
        set('replicaSchedulingType', 'Divided'),
        set('replicaDivisionPreference', 'Weighted'),
        removing([...weights, 'dynamicWeight']),
      ]
  }
}

/** Sets the weight of a cluster: changes the entry of the cluster or adds one. */
export const weighing =
  (cluster: string, weight: number): Change =>
  document => {
    const path = ['spec', 'placement', 'replicaScheduling', 'weightPreference', 'staticWeightList']
    const found = document.hasIn(path) ? document.getIn(path) : undefined
    const items = isSeq(found) ? found.items : []
    const index = items.findIndex(item => {
      const names = isMap(item) ? item.getIn(['targetCluster', 'clusterNames']) : undefined
      const only = isSeq(names) && names.items.length === 1 ? names.get(0) : undefined
      return only === cluster
    })
    if (index >= 0) document.setIn([...path, index, 'weight'], weight)
    else adding(path, { targetCluster: { clusterNames: [cluster] }, weight })(document)
  }
