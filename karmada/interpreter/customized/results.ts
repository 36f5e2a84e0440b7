import { formatQuantity, parseQuantity, QuantityError } from '../../../manifests/quantity.js'
import { ScriptError } from '../../lua/run.js'
import type { Component, ReplicaRequirements } from '../../objects/binding.js'
import type { Dependency } from '../dependencies.js'
import type { Json } from './lua-json.js'

/** What scripts and webhooks answer, read as Karmada's types: what these do not have is left out. */

type Fields = Readonly<Record<string, Json>>

const refused = (what: string, where: string): ScriptError =>
  new ScriptError(`json unmarshal obj failed: json: cannot unmarshal ${what} into Go struct field ${where}`)

function kindOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

function fields(value: Json, where: string): Fields {
  if (value === null) return {}
  if (kindOf(value) !== 'object') throw refused(kindOf(value), where)
  return value as Fields
}

function text(value: Json | undefined, where: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw refused(kindOf(value), `${where} of type string`)
  return value
}

function listOf(value: Json, where: string): readonly Json[] {
  if (value === null) return []
  if (!Array.isArray(value)) throw refused(kindOf(value), where)
  return value as readonly Json[]
}

function quantities(value: Json, where: string): Readonly<Record<string, string>> {
  const entries = Object.entries(fields(value, where)).map(([name, amount]) => {
    if (typeof amount !== 'string' && typeof amount !== 'number') {
      if (amount === null) return [name, '0'] as const
      throw refused(kindOf(amount), where)
    }
    try {
      return [name, formatQuantity(parseQuantity(amount))] as const
    } catch (error) {
      if (!(error instanceof QuantityError)) throw error
      throw new ScriptError(`json unmarshal obj failed: ${quantityProblem(String(amount))}`)
    }
  })
  return Object.fromEntries(entries)
}

/** What Kubernetes says of a text that is no quantity. */
export const quantityProblem = (text: string): string =>
  /^[+-]?(\d+\.?\d*|\.\d+)[a-zA-Z]/.test(text)
    ? "unable to parse quantity's suffix"
    : "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

function nodeClaim(value: Json): Readonly<Record<string, unknown>> {
  const where = 'NodeClaim.nodeClaim'
  const { hardNodeAffinity, nodeSelector, tolerations } = fields(value, where)
  const selector = nodeSelector === undefined ? {} : fields(nodeSelector, where)
  const tolerated = tolerations === undefined ? [] : listOf(tolerations, where)
  return {
    ...(hardNodeAffinity !== undefined && hardNodeAffinity !== null && { hardNodeAffinity }),
    ...(Object.keys(selector).length > 0 && { nodeSelector: selector }),
    ...(tolerated.length > 0 && { tolerations: tolerated }),
  }
}

/** work.karmada.io ReplicaRequirements. @throws ScriptError */
export function requirementsIn(value: Json): ReplicaRequirements {
  const read = fields(value, 'ReplicaRequirements')
  const claim = read.nodeClaim
  const request =
    read.resourceRequest === undefined
      ? {}
      : quantities(read.resourceRequest, 'ReplicaRequirements.resourceRequest')
  const namespace = text(read.namespace, 'ReplicaRequirements.namespace')
  const priorityClassName = text(read.priorityClassName, 'ReplicaRequirements.priorityClassName')
  return {
    ...(claim !== undefined && claim !== null && { nodeClaim: nodeClaim(claim) }),
    ...(Object.keys(request).length > 0 && { resourceRequest: request }),
    ...(namespace !== undefined && { namespace }),
    ...(priorityClassName !== undefined && { priorityClassName }),
  }
}

/** work.karmada.io Components. @throws ScriptError */
export const componentsIn = (value: Json): readonly Component[] =>
  listOf(value, 'Component').map(item => {
    const { name, replicas = 0, replicaRequirements } = fields(item, 'Component')
    if (replicas !== null && !(typeof replicas === 'number' && Number.isInteger(replicas)))
      throw refused(kindOf(replicas), 'Component.replicas of type int32')
    const requirements =
      replicaRequirements === undefined || replicaRequirements === null
        ? undefined
        : requirementsIn(replicaRequirements)
    return {
      name: text(name, 'Component.name') ?? '',
      replicas: replicas ?? 0,
      ...(requirements && { replicaRequirements: requirements }),
    }
  })

/** config.karmada.io DependentObjectReferences. @throws ScriptError */
export const dependenciesIn = (value: Json): readonly Dependency[] =>
  listOf(value, 'DependentObjectReference').map(item => {
    const read = fields(item, 'DependentObjectReference')
    const at = (name: string) => text(read[name], `DependentObjectReference.${name}`)
    const [namespace, name] = [at('namespace'), at('name')]
    const selector = read.labelSelector
    return {
      apiVersion: at('apiVersion') ?? '',
      kind: at('kind') ?? '',
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
      ...(selector !== undefined &&
        selector !== null && {
          labelSelector: fields(selector, 'DependentObjectReference.labelSelector') as NonNullable<
            Dependency['labelSelector']
          >,
        }),
    }
  })
