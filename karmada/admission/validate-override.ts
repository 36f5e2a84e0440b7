import { labelValue, qualifiedName } from '../../manifests/name-format.js'
import type {
  FieldOverrider,
  OverridePolicy,
  OverrideRule,
  SubPathOverrider,
} from '../objects/override-policy.js'
import { invalidField, refusalOf, requiredField } from './field-refusal.js'
import { affinityRefusals } from './validate-placement.js'
import { selectorRefusals } from './validate-policy.js'

/** Why Karmada's webhook refuses an OverridePolicy or ClusterOverridePolicy; undefined where it does not. */
export function overrideRefusal({ metadata, spec }: OverridePolicy): string | undefined {
  const { targetCluster, overriders = {}, overrideRules, resourceSelectors = [] } = spec
  // Karmada looks at these alone: a fieldOverrider may stand beside rules.
  const { plaintext, imageOverrider, commandOverrider, argsOverrider } = overriders
  const { labelsOverrider, annotationsOverrider } = overriders
  const changes = [
    plaintext,
    imageOverrider,
    commandOverrider,
    argsOverrider,
    labelsOverrider,
    annotationsOverrider,
  ]
  const isEmpty = changes.every(one => !one?.length)
  return refusalOf([
    ...affinityRefusals(targetCluster, 'spec.targetCluster'),
    ...(targetCluster && overrideRules
      ? [invalidField('spec.targetCluster', targetCluster, "overrideRules and targetCluster can't co-exist")]
      : []),
    ...(!isEmpty && overrideRules
      ? [invalidField('spec.overriders', overriders, "overrideRules and overriders can't co-exist")]
      : []),
    ...(overrideRules ?? []).flatMap((rule, at) => ruleRefusals(rule, `spec.overrideRules[${at}]`)),
    ...selectorRefusals(resourceSelectors, metadata.namespace),
  ])
}

function ruleRefusals({ overriders, targetCluster }: OverrideRule, rule: string): readonly string[] {
  const path = `${rule}.overriders`
  const {
    annotationsOverrider = [],
    labelsOverrider = [],
    imageOverrider = [],
    fieldOverrider = [],
  } = overriders
  return [
    ...annotationsOverrider.flatMap(({ value }, at) =>
      Object.keys(value ?? {}).flatMap(key => {
        const here = `${path}.annotationsOverrider[${at}].value`
        return qualifiedName(key.toLowerCase()).map(one => invalidField(here, key, one))
      }),
    ),
    ...labelsOverrider.flatMap(({ value }, at) =>
      Object.entries(value ?? {}).flatMap(([key, text]) => {
        const here = `${path}.labelsOverrider[${at}].value`
        return [
          ...qualifiedName(key).map(one => invalidField(here, key, one)),
          ...labelValue(text).map(one => invalidField(here, text, one)),
        ]
      }),
    ),
    ...imageOverrider.flatMap(({ predicate }, at) =>
      pointerRefusals(predicate?.path, `${path}.imageOverrider[${at}].predicate.path`),
    ),
    ...fieldOverrider.flatMap((one, at) => fieldRefusals(one, `${path}.fieldOverrider[${at}]`)),
    ...affinityRefusals(targetCluster, `${rule}.targetCluster`),
  ]
}

function fieldRefusals(overrider: FieldOverrider, path: string): readonly string[] {
  const { json = [], yaml = [], fieldPath } = overrider
  const isBoth = json.length > 0 && yaml.length > 0
  const isNone = json.length === 0 && yaml.length === 0
  return [
    ...(isBoth
      ? [invalidField(path, overrider, 'FieldOverrider has both YAML and JSON set. Only one is allowed')]
      : []),
    ...(isNone ? [requiredField(path, 'FieldOverrider must have either JSON or YAML set')] : []),
    ...pointerRefusals(fieldPath, `${path}.fieldPath`),
    ...subPathRefusals(json, `${path}.json`),
    ...subPathRefusals(yaml, `${path}.yaml`),
  ]
}

const subPathRefusals = (changes: readonly SubPathOverrider[], path: string): readonly string[] =>
  changes.flatMap(({ subPath, operator, value }, at) => {
    const here = `${path}[${at}].value`
    return [
      ...pointerRefusals(subPath, `${path}[${at}].subPath`),
      ...(operator !== 'remove' && (value ?? undefined) === undefined
        ? [invalidField(here, null, 'value is required for add or replace operation')]
        : []),
      ...(operator === 'remove' && (value ?? undefined) !== undefined
        ? [invalidField(here, value, 'value is not allowed for remove operation')]
        : []),
    ]
  })

/** The words are those of the library that Karmada uses, with its missing quote and its second line. */
const pointerRefusals = (pointer: string | undefined, path: string): readonly string[] =>
  !pointer || pointer.startsWith('/')
    ? []
    : [invalidField(path, pointer, 'JSON pointer must be empty or start with a "/\nJSON pointer error')]
