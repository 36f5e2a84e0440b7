import { lengthOf, negated, operations } from './arithmetic.js'
import { compileLogical, type Into, withoutParentheses } from './compile-logical.js'
import { compileError, type Frame, type FunctionScope } from './scope.js'
import type { LuaState } from './state.js'
import type { Call, Expression, FunctionExpression } from './syntax.js'
import { type LuaFunction, LuaTable, type Value } from './table.js'
import { isTrue } from './value.js'

/** An expression that gives one value. */
export type One = (frame: Frame) => Value
/** An expression that gives as many values as it has. */
export type Many = (frame: Frame) => readonly Value[]

/** What a table costs: it takes memory. */
const TABLE_STEPS = 8

/** So many fields without keys are set at once, after those with keys that are written between them. */
const FIELDS_AT_ONCE = 50

/** Makes the function of an expression, for a frame of the function around it. */
export type MakeFunction = (frame: Frame) => LuaFunction

/** Compiles the expressions of a function. */
export class ExpressionCompiler {
  /** @param makeFunction compiles a function inside this one */
  constructor(
    private readonly state: LuaState,
    private readonly scope: FunctionScope,
    private readonly makeFunction: (expression: FunctionExpression) => MakeFunction,
  ) {}

  /** @throws LuaSyntaxError */
  one(expression: Expression): One {
    const { state } = this
    const { line } = expression
    switch (expression.is) {
      case 'nil':
        return () => undefined
      case 'true':
        return () => true
      case 'false':
        return () => false
      case 'number':
      case 'string': {
        const { value } = expression
        return () => value
      }
      case 'name':
        return this.#variable(expression.name)
      case 'index': {
        const operands = this.#operands(expression.object, expression.key)
        return frame => {
          const [of, at] = operands(frame)
          state.line = line
          return state.index(of, at)
        }
      }
      case 'parenthesis':
        return this.one(expression.inner)
      case 'varargs':
      case 'call': {
        const many = this.many(expression)
        return frame => many(frame)[0]
      }
      case 'function':
        return this.makeFunction(expression)
      case 'binary':
        return this.#binary(expression)
      case 'unary': {
        const operand = this.one(expression.operand)
        if (expression.operator === 'not') return frame => !isTrue(operand(frame))
        const operation = expression.operator === '#' ? lengthOf : negated
        return frame => {
          const value = operand(frame)
          state.line = line
          return operation(state, value)
        }
      }
      case 'table':
        return this.#table(expression)
    }
  }

  /** Assigns an `and` or `or` to a local variable of the function, as Karmada's Lua does. */
  into(expression: Expression): Into {
    return compileLogical(expression, this)
  }

  /** Whether it is a local variable of the function, in parentheses or not. */
  isOwn(expression: Expression): boolean {
    const bare = withoutParentheses(expression)
    return bare.is === 'name' && this.scope.find(bare.name)?.in === 'cells'
  }

  /** The values of an expression that may have any number of them. */
  many(expression: Expression): Many {
    if (expression.is === 'call') {
      const call = this.call(expression)
      return frame => {
        const { callee, args, name } = call(frame)
        return this.state.call(callee, args, name)
      }
    }
    if (expression.is === 'varargs') {
      if (!this.scope.hasVarargs)
        throw compileError(expression.line, "cannot use '...' outside a vararg function")
      return frame => frame.varargs
    }
    const one = this.one(expression)
    return frame => [one(frame)]
  }

  /** The values of a list of expressions: one each, and all of the last. */
  list(expressions: readonly Expression[]): Many {
    const last = expressions.at(-1)
    if (!last) return () => []
    const ones = expressions.slice(0, -1).map(expression => this.one(expression))
    const isOpen = last.is === 'call' || last.is === 'varargs'
    if (!isOpen) ones.push(this.one(last))
    const rest = isOpen ? this.many(last) : undefined
    return frame => {
      const values = ones.map(one => one(frame))
      if (rest) for (const value of rest(frame)) values.push(value)
      return values
    }
  }

  /** What is called, with what. */
  call(call: Call): (frame: Frame) => { callee: Value; args: readonly Value[]; name: string } {
    const { state } = this
    const { line, method } = call
    const [callee, args] = [this.one(call.callee), this.list(call.args)]
    const name = method ?? nameOf(call.callee)
    return frame => {
      state.spend()
      const object = callee(frame)
      if (method === undefined) {
        const values = args(frame)
        state.line = line
        return { callee: object, args: values, name }
      }
      state.line = line
      const found = state.index(object, method)
      const values = [object, ...args(frame)]
      state.line = line
      return { callee: found, args: values, name }
    }
  }

  #variable(name: string): One {
    const place = this.scope.find(name)
    const { globals } = this.state
    if (!place) return () => globals.get(name)
    const { at } = place
    return place.in === 'cells' ? frame => frame.cells[at]?.value : frame => frame.outer[at]?.value
  }

  #binary({ line, operator, left, right }: Expression & { readonly is: 'binary' }): One {
    const { state } = this
    if (operator === 'and' || operator === 'or') {
      const [first, second] = [this.one(left), this.one(right)]
      const goesOn = operator === 'and'
      return frame => {
        const value = first(frame)
        return isTrue(value) === goesOn ? second(frame) : value
      }
    }
    const operation = operations[operator]
    const operands = operator === '..' ? this.#inOrder(left, right) : this.#operands(left, right)
    return frame => {
      const [a, b] = operands(frame)
      state.line = line
      return operation(state, a, b)
    }
  }

  #inOrder(left: Expression, right: Expression): (frame: Frame) => readonly [Value, Value] {
    const [first, second] = [this.one(left), this.one(right)]
    return frame => [first(frame), second(frame)]
  }

  /** Two operands. A local variable of the function is read when both are there: the second may be a call that changes it. */
  #operands(left: Expression, right: Expression): (frame: Frame) => readonly [Value, Value] {
    if (!this.isOwn(left)) return this.#inOrder(left, right)
    const [first, second] = [this.one(left), this.one(right)]
    return frame => {
      const value = second(frame)
      return [first(frame), value]
    }
  }

  #table({ line, fields }: Expression & { readonly is: 'table' }): One {
    const { state } = this
    const compiled = fields.map(({ key, value }, at) => {
      const isOpen = !key && at === fields.length - 1
      return {
        key: key && this.one(key),
        values: isOpen ? this.many(value) : undefined,
        value: isOpen ? () => undefined : this.one(value),
      }
    })
    return frame => {
      state.spend(TABLE_STEPS + compiled.length)
      const table = new LuaTable()
      let [flushed, pending]: [number, Value[]] = [0, []]
      const flush = () => {
        for (const one of pending) table.set(++flushed, one)
        pending = []
      }
      for (const { key, value, values } of compiled) {
        if (key) {
          const at = key(frame)
          const made = value(frame)
          state.line = line
          state.assign(table, at, made)
        } else if (values) pending.push(...values(frame))
        else if (pending.push(value(frame)) === FIELDS_AT_ONCE) flush()
      }
      flush()
      return table
    }
  }
}

/** What a call names its function, for messages. */
function nameOf(callee: Expression): string {
  if (callee.is === 'name') return callee.name
  if (callee.is === 'index' && callee.key.is === 'string') return callee.key.value
  return '?'
}
