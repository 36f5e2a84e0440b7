import { truncated } from '../../lua/numbers.js'
import { runScript, ScriptError } from '../../lua/run.js'
import { LuaTable, type Value } from '../../lua/table.js'
import { typeName } from '../../lua/value.js'
import type { Component } from '../../objects/binding.js'
import type { MemberStatus, Status } from '../../objects/member-status.js'
import type { Dependency } from '../dependencies.js'
import type { Replicas } from '../replicas.js'
import type { Answer, ResourceInterpreter } from '../resource-interpreter.js'
import { type Resource, typeOf } from '../workload.js'
import type { Operation, Scripts } from './customization.js'
import { withEmptyFields } from './empty-fields.js'
import { kubeFunctions } from './kube-library.js'
import { type Json, jsonOf, luaOf } from './lua-json.js'
import { componentsIn, dependenciesIn, requirementsIn } from './results.js'
import { verifyDependencies } from './verify-dependencies.js'

/** The numbers that Go prints for types of Lua. */
const TYPE_NUMBERS = ['nil', 'boolean', 'number', 'string', 'function', 'userdata', 'thread', 'table']

/** Answers with the Lua scripts of ResourceInterpreterCustomizations. Each method throws ScriptError where a script fails. */
export class CustomizedInterpreter implements ResourceInterpreter {
  /**
   * @param scripts by `apiVersion kind`, as they are now
   * @param now seconds since 1970, for scripts that want the time
   * @param steps that a script may take; by default as many as in Karmada's second
   */
  constructor(
    private readonly scripts: () => ReadonlyMap<string, Scripts>,
    private readonly now: () => number,
    private readonly steps?: number,
  ) {}

  replicas(resource: Resource): Answer<Replicas> | undefined {
    return this.#answer(resource, 'InterpretReplica', script => {
      const [count, requires] = this.#run(script, 'GetReplicas', 2, [resource])
      if (typeof count !== 'number') throw new ScriptError(`result type ${typeNumber(count)} is not number`)
      const replicas = Number(BigInt.asIntN(32, truncated(count)))
      if (requires === undefined) return { replicas }
      const table = tableOf(
        requires,
        `expect the returned requires type is table but got ${typeName(requires)}`,
      )
      return { replicas, requirements: requirementsIn(converted(table, [], true)) }
    })
  }

  components(resource: Resource): Answer<readonly Component[]> | undefined {
    return this.#answer(resource, 'InterpretComponent', script => {
      let found: Value
      try {
        ;[found] = this.#run(script, 'GetComponents', 1, [resource])
      } catch (error) {
        if (!(error instanceof ScriptError)) throw error
        throw new ScriptError(`failed to run 'GetComponents' script: ${error.message}`)
      }
      if (found === undefined) return []
      const wrong = `expected result type 'table' or 'nil' from GetComponents, but got '${typeName(found)}'`
      return componentsIn(converted(tableOf(found, wrong), [], false))
    })
  }

  revise(resource: Resource, replicas: number): Answer<Resource> | undefined {
    return this.#answer(resource, 'ReviseReplica', script =>
      this.#object(script, 'ReviseReplica', [resource, replicas], [resource]),
    )
  }

  retain(desired: Resource, observed: Resource): Answer<Resource> | undefined {
    return this.#answer(desired, 'Retain', script =>
      this.#object(script, 'Retain', [desired, observed], [desired, observed]),
    )
  }

  aggregate(template: Resource, members: readonly MemberStatus[]): Answer<Status | undefined> | undefined {
    return this.#answer(
      template,
      'AggregateStatus',
      script => this.#object(script, 'AggregateStatus', [template, members], []).status,
    )
  }

  dependencies(resource: Resource): Answer<readonly Dependency[]> | undefined {
    const scripts = this.#scriptsFor(resource, 'InterpretDependency')
    if (scripts.length === 0) return undefined
    const found = scripts.flatMap(script => {
      const [list] = this.#run(script, 'GetDependencies', 1, [resource])
      const table = tableOf(list, `expect the returned requires type is table but got ${typeName(list)}`)
      const dependencies = dependenciesIn(converted(table, [], false))
      verifyDependencies(dependencies)
      return dependencies
    })
    return { value: inOrder(found) }
  }

  reflect(resource: Resource): Answer<Status | undefined> | undefined {
    return this.#answer(resource, 'InterpretStatus', script => {
      const [status] = this.#run(script, 'ReflectStatus', 1, [resource])
      const wrong = `expect the returned replica type is table but got ${typeName(status)}`
      return converted(tableOf(status, wrong), [], true) as unknown as Status
    })
  }

  health(resource: Resource): Answer<boolean> | undefined {
    return this.#answer(resource, 'InterpretHealth', script => {
      const [healthy] = this.#run(script, 'InterpretHealth', 1, [resource])
      if (typeof healthy !== 'boolean')
        throw new ScriptError(`result type ${typeNumber(healthy)} is not bool`)
      return healthy
    })
  }

  knowsHealth({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean {
    return this.scripts().get(`${apiVersion} ${kind}`)?.has('InterpretHealth') ?? false
  }

  #scriptsFor(resource: Resource, operation: Operation): readonly string[] {
    return this.scripts().get(typeOf(resource))?.get(operation) ?? []
  }

  #answer<T>(resource: Resource, operation: Operation, run: (script: string) => T): Answer<T> | undefined {
    const [script] = this.#scriptsFor(resource, operation)
    return script === undefined ? undefined : { value: run(script) }
  }

  #run(script: string, name: string, count: number, args: readonly unknown[]): readonly Value[] {
    const { now, steps } = this
    const world = { now, ...(steps !== undefined && { steps }), modules: { kube: kubeFunctions } }
    return runScript(script, name, count, args.map(luaOf), world)
  }

  #object(script: string, name: string, args: readonly unknown[], references: readonly unknown[]): Resource {
    const [found] = this.#run(script, name, 1, args)
    const wrong = `expect the returned requires type is table but got ${typeName(found)}`
    const object = converted(tableOf(found, wrong), references, true)
    if (typeof (object as { kind?: unknown }).kind !== 'string')
      throw new ScriptError(
        `json unmarshal obj failed: Object 'Kind' is missing in '${JSON.stringify(object)}'`,
      )
    return object as unknown as Resource
  }
}

const converted = (table: LuaTable, references: readonly unknown[], isObject: boolean): Json =>
  withEmptyFields(jsonOf(table), references, isObject)

function tableOf(value: Value, wrong: string): LuaTable {
  if (value instanceof LuaTable) return value
  throw new ScriptError(wrong)
}

const typeNumber = (value: Value): number => TYPE_NUMBERS.indexOf(typeName(value))

/** Each dependency once, by type, namespace and name. What has labels is never the same as another. */
function inOrder(dependencies: readonly Dependency[]): readonly Dependency[] {
  const keyOf = ({ apiVersion, kind, namespace = '', name = '' }: Dependency) =>
    [apiVersion, kind, namespace, name] as const
  const seen = new Set<string>()
  const once = dependencies.filter(dependency => {
    if (dependency.labelSelector) return true
    const key = JSON.stringify(keyOf(dependency))
    return !seen.has(key) && seen.add(key)
  })
  const compare = (a: Dependency, b: Dependency): number => {
    const [first, second] = [keyOf(a), keyOf(b)]
    const at = first.findIndex((part, index) => part !== second[index])
    return at < 0 ? 0 : (first[at] ?? '') < (second[at] ?? '') ? -1 : 1
  }
  return once.sort(compare)
}
