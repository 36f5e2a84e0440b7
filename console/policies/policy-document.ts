import { type Document, isMap, isNode, isScalar, isSeq } from 'yaml'
import { isJsonObject } from '../../transcoding/json-object.js'
import { ManifestError, manifestsIn, writtenOf } from '../editor/manifest.js'
import { misfitOf } from './form-shape.js'
import type { Division } from './policies.js'

/** Where a field is: keys, and indices of lists. */
export type Path = readonly (string | number)[]

/** What a form shows of a text. */
export type FormView =
  | { readonly spec: FormFields; readonly name: string; readonly namespace: string }
  /** Why there is no form: the text is no manifest, or several, or has another shape where the form would write. */
  | { readonly problem: string }

/** The fields that the form knows. The text has more. */
export interface FormFields {
  readonly selectors: readonly Selector[]
  readonly clusters: readonly string[]
  /** Groups of clusters are tried in order: the form shows them and does not edit them. */
  readonly hasGroups: boolean
  readonly division: Division
  readonly weights: readonly Weight[]
  /** Weights by labels or for several clusters are edited in the text. */
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
  /** Overriders that are edited in the text. */
  readonly others: readonly string[]
}

export interface ImageChange {
  readonly component: string
  readonly operator: string
  readonly value: string
}

/** Reads the form's fields. A value of another type than Karmada's is shown as absent: the text says it. */
export function formOf(text: string): FormView {
  try {
    const manifests = manifestsIn(text)
    const [manifest] = manifests
    if (!manifest) return { problem: 'there is no manifest in it' }
    if (manifests.length > 1) return { problem: 'it has several manifests' }
    const misfit = misfitOf(manifest.document)
    if (misfit !== undefined) return { problem: misfit }
    const object: unknown = manifest.document.toJS()
    return {
      spec: fieldsOf(at(object, 'spec')),
      name: manifest.name,
      namespace: manifest.namespace,
    }
  } catch (error) {
    if (error instanceof ManifestError) return { problem: error.message }
    throw error
  }
}

function fieldsOf(spec: unknown): FormFields {
  const placement = at(spec, 'placement')
  const scheduling = at(placement, 'replicaScheduling')
  const weights = list(at(at(scheduling, 'weightPreference'), 'staticWeightList'))
  const single = weights.flatMap(one => {
    const [cluster, ...more] = texts(at(at(one, 'targetCluster'), 'clusterNames'))
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
    clusters: texts(at(at(placement, 'clusterAffinity'), 'clusterNames')),
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
        clusters: texts(at(at(rule, 'targetCluster'), 'clusterNames')),
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
  return at(at(scheduling, 'weightPreference'), 'dynamicWeight') === undefined ? 'static' : 'dynamic'
}

const at = (value: unknown, field: string): unknown => (isJsonObject(value) ? value[field] : undefined)
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const texts = (value: unknown): readonly string[] => list(value).filter(one => typeof one === 'string')
const number = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0

/** What a form does to a text. Fields that it does not name stay as they are, with their comments and in their order. */
export type Change = (document: Document) => void

/** The text after changes of a form. A text that is no manifest stays as it is: its form shows why. */
export function changed(given: string, ...changes: readonly Change[]): string {
  const view = formOf(given)
  const [manifest] = 'problem' in view ? [] : manifestsIn(given)
  if (!manifest) return given
  for (const change of changes) change(manifest.document)
  return writtenOf(manifest.document)
}

/** Sets a field; what is absent or empty takes it away, and with it what is empty then. */
export const setting =
  (path: Path, value: string | number | boolean | object | undefined): Change =>
  document => {
    if (value === undefined || value === '' || value === false || (Array.isArray(value) && !value.length))
      return remove(document, path)
    makeWay(document, path)
    document.setIn(path, typeof value === 'object' ? document.createNode(value) : value)
  }

/** Makes a list hold these texts: those that stay keep their comments, new ones come last. */
export const settingTexts =
  (path: Path, wanted: readonly string[]): Change =>
  document => {
    const found = document.hasIn(path) ? document.getIn(path) : undefined
    if (!isSeq(found) || wanted.length === 0) return setting(path, wanted)(document)
    const textOfItem = (item: unknown) => String(isScalar(item) ? item.value : item)
    found.items = found.items.filter(item => wanted.includes(textOfItem(item)))
    const there = found.items.map(item => textOfItem(item))
    for (const one of wanted) if (!there.includes(one)) found.add(document.createNode(one))
  }

/** Puts one more item at the end of a list. */
export const adding =
  (path: Path, item: object): Change =>
  document => {
    makeWay(document, path)
    const found = document.hasIn(path) ? document.getIn(path) : undefined
    if (isSeq(found)) found.add(document.createNode(item))
    else document.setIn(path, document.createNode([item]))
  }

/** Takes a field or an item away. */
export const removing =
  (path: Path): Change =>
  document =>
    remove(document, path)

/** How replicas are divided: one choice of a form is several fields. */
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

/** The weight of one cluster: changed where there is one, else added. */
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

/** A field that is `null`, such as `spec:` alone, holds nothing yet: it gives way. */
function makeWay(document: Document, path: Path): void {
  for (let length = 1; length < path.length; length += 1) {
    const above = path.slice(0, length)
    const found = document.hasIn(above) ? document.getIn(above, true) : undefined
    if (found === null || (isScalar(found) && found.value === null)) document.deleteIn(above)
  }
}

/** Takes a field away, and what is empty after it, up to the spec. */
function remove(document: Document, path: Path): void {
  if (!document.hasIn(path)) return
  document.deleteIn(path)
  for (let length = path.length - 1; length > 1; length -= 1) {
    const above = path.slice(0, length)
    const left = document.getIn(above)
    const isEmpty = isNode(left) && (isMap(left) || isSeq(left)) && left.items.length === 0
    if (!isEmpty) return
    document.deleteIn(above)
  }
}
