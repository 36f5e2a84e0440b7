import type { Environment } from '@marcbachmann/cel-js'
import { child, type FieldError, fieldError, index, invalid } from '../field-error.js'
import { equal, has, isArray, isObject, type Json } from '../json.js'
import { ruleEnvironment } from './cel-environment.js'
import { celValue } from './cel-values.js'
import type { Schema, ValidationRule } from './schema.js'
import { correlatedItems } from './value-validation.js'
import { bearing, propertySchema } from './walk.js'

type Program = (context: { self: unknown; oldSelf?: unknown }) => unknown

interface CompiledRule {
  readonly rule: ValidationRule
  readonly program: Program
  readonly messageProgram: Program | undefined
  /** The rule compares with the value it replaces, so it holds on updates only. */
  readonly transition: boolean
}

/** A rule that does not compile. */
export class RuleError extends Error {
  override readonly name = 'RuleError'
}

let shared: Environment | undefined
const environment = (): Environment => {
  shared ??= ruleEnvironment()
  return shared
}

/** Compiled once per schema node, however many logical clusters serve the CRD. */
const compiled = new WeakMap<Schema, readonly CompiledRule[]>()
/** Whether a node or anything below it has rules; most schemas have none and are never walked. */
const bears = bearing(schema => (schema['x-kubernetes-validations']?.length ?? 0) > 0)

/** Compiles one expression. @throws RuleError with the compiler's complaint */
export function compileExpression(expression: string): Program {
  const checked = environment().check(expression)
  if (!checked.valid) throw new RuleError(checked.error?.message.split('\n')[0] ?? 'does not compile')
  return environment().parse(expression) as unknown as Program
}

/** True when an expression mentions `oldSelf` as a variable. */
export const usesOldSelf = (expression: string): boolean =>
  /(?<![\w.])oldSelf\b/.test(expression.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""'))

function rulesOf(schema: Schema): readonly CompiledRule[] {
  let rules = compiled.get(schema)
  if (!rules) {
    rules = (schema['x-kubernetes-validations'] ?? []).map(rule => ({
      rule,
      program: compileExpression(rule.rule),
      messageProgram:
        rule.messageExpression === undefined ? undefined : compileExpression(rule.messageExpression),
      transition: usesOldSelf(rule.rule),
    }))
    compiled.set(schema, rules)
  }
  return rules
}

/**
 * The evaluation of all `x-kubernetes-validations` of a schema over an object, to be run when the object is well-formed;
 * undefined when the schema has no rules at all.
 */
export function validateRules(
  schema: Schema,
  object: Json,
  old: Json | undefined,
): (() => FieldError[]) | undefined {
  return bears(schema) ? () => visit(schema, object, old, '') : undefined
}

function visit(schema: Schema, value: Json, old: Json | undefined, path: string): FieldError[] {
  if (value === null || !bears(schema)) return []
  const errors = evaluate(schema, value, old, path)
  for (const one of schema.allOf ?? []) errors.push(...visit(one, value, old, path))
  if (isArray(value)) {
    const { items } = schema
    if (!items) return errors
    const before = correlatedItems(schema, value, old)
    return errors.concat(value.flatMap((item, at) => visit(items, item, before[at], index(path, at))))
  }
  if (!isObject(value)) return errors
  for (const [key, member] of Object.entries(value)) {
    const memberSchema = propertySchema(schema, key)
    if (!memberSchema) continue
    const declared = schema.properties !== undefined && has(schema.properties, key)
    const before = isObject(old) && has(old, key) ? old[key] : undefined
    errors.push(...visit(memberSchema, member, before, declared ? child(path, key) : index(path, key)))
  }
  return errors
}

function evaluate(schema: Schema, value: Json, old: Json | undefined, path: string): FieldError[] {
  const rules = rulesOf(schema)
  if (rules.length === 0) return []
  const unchanged = old !== undefined && equal(value, old)
  const isNew = old === undefined || old === null
  const due = rules.filter(({ transition, rule }) =>
    transition ? !isNew || rule.optionalOldSelf : !unchanged,
  )
  if (due.length === 0) return []
  const self = celValue(schema, value)
  const compares = due.some(({ transition, rule }) => transition || rule.optionalOldSelf)
  const oldSelf = isNew || !compares ? undefined : celValue(schema, old)
  return due.flatMap(one => {
    const previous = one.rule.optionalOldSelf ? optional(oldSelf) : oldSelf
    const context = previous === undefined ? { self } : { self, oldSelf: previous }
    return check(one, schema, value, context, path)
  })
}

let makeOptional: { of: Program; none: Program } | undefined

/** CEL's optional type has no constructor on the JavaScript side; the language makes one. */
function optional(value: unknown): unknown {
  makeOptional ??= {
    of: compileExpression('optional.of(self)'),
    none: compileExpression('optional.none()'),
  }
  return value === undefined ? makeOptional.none({ self: null }) : makeOptional.of({ self: value })
}

function check(
  { rule, program, messageProgram }: CompiledRule,
  schema: Schema,
  value: Json,
  context: { self: unknown; oldSelf?: unknown },
  path: string,
): FieldError[] {
  try {
    if (program(context) === true) return []
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0]
    return [invalid(path, schema.type, `${reason} evaluating rule: ${ruleName(rule)}`)]
  }
  const field = rule.fieldPath === undefined ? path : child(path, rule.fieldPath.replace(/^\./, ''))
  const detail = expressed(messageProgram, context) ?? messageOf(rule)
  const reason = rule.reason ?? 'FieldValueInvalid'
  if (schema.type === 'object' || schema.type === 'array') {
    return [withoutValue(reason, field, detail)]
  }
  return [fieldError(reason, field, value, detail)]
}

/** Whole objects and lists are not repeated in the message. */
function withoutValue(
  reason: NonNullable<ValidationRule['reason']>,
  field: string,
  detail: string,
): FieldError {
  const error = fieldError(reason, field, null, detail)
  return { ...error, body: error.body.replace(/^(Invalid value|Duplicate value): null/, '$1') }
}

/** The text of a messageExpression; undefined (the fixed message serves) when it fails or is no single line. */
function expressed(program: Program | undefined, context: { self: unknown }): string | undefined {
  if (!program) return undefined
  try {
    const text = program(context)
    return typeof text === 'string' && text.trim() !== '' && !text.includes('\n') ? text.trim() : undefined
  } catch {
    return undefined
  }
}

const ruleName = (rule: ValidationRule): string => (rule.message ?? rule.rule).trim()
const messageOf = (rule: ValidationRule): string => rule.message?.trim() ?? `failed rule: ${rule.rule.trim()}`
