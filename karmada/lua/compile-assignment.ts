import type { ExpressionCompiler } from './compile-expression.js'
import { isLogical } from './compile-logical.js'
import type { Frame, FunctionScope } from './scope.js'
import type { LuaState } from './state.js'
import type { Expression } from './syntax.js'
import type { Value } from './table.js'

type Assign = (frame: Frame) => undefined

/** Compiles what gives variables and fields of tables their values: in which order Karmada's Lua looks up, computes and stores. */
export class AssignmentCompiler {
  constructor(
    private readonly state: LuaState,
    private readonly scope: FunctionScope,
    private readonly expressions: ExpressionCompiler,
  ) {}

  /** `targets = values` */
  assignment(targets: readonly Expression[], values: readonly Expression[]): Assign {
    const stores = targets.map(target => this.#store(target))
    const last = values.length - 1
    const steps = values.map((value, at) => {
      const isOpen = at === last && (value.is === 'call' || value.is === 'varargs')
      const target = targets[at]
      // Of several values, Karmada's Lua puts one into a local variable of the function as soon as it is computed, so that the values
      // after it see it already, and `a, b = b, a` exchanges nothing. Other Luas assign at the end.
      const isOwn = target !== undefined && this.expressions.isOwn(target)
      const isEarly = targets.length > 1 && !isOpen && isOwn
      const into = isOwn && isLogical(value) ? this.expressions.into(value) : undefined
      // Tables and results of calls are stored once more at the end.
      const isLate = !into && (!isEarly || value.is === 'table' || value.is === 'call')
      return { values: isOpen ? this.expressions.many(value) : undefined, into, isEarly, isLate }
    })
    const ones = values.map((value, at) =>
      steps[at]?.values || steps[at]?.into ? undefined : this.expressions.one(value),
    )
    return frame => {
      this.state.spend()
      // What is assigned to is looked up before the values are.
      const ready = stores.map(store => store(frame))
      const made: Value[] = []
      for (const [at, step] of steps.entries()) {
        const store = ready[at]
        if (step.values) made.push(...step.values(frame))
        else if (step.into && store) {
          step.into(frame, store)
          made.push(undefined)
        } else {
          const value = ones[at]?.(frame)
          if (step.isEarly) store?.(value)
          made.push(value)
        }
      }
      for (let at = ready.length - 1; at >= 0; at--) if (steps[at]?.isLate ?? true) ready[at]?.(made[at])
    }
  }

  #store(target: Expression): (frame: Frame) => (value: Value) => void {
    const { state } = this
    if (target.is === 'index') {
      const [object, key] = [this.expressions.one(target.object), this.expressions.one(target.key)]
      // A table in a local variable is the one that is there when the values are.
      const isLate = this.expressions.isOwn(target.object)
      return frame => {
        const of = isLate ? undefined : object(frame)
        const at = key(frame)
        return value => {
          state.line = target.line
          state.assign(isLate ? object(frame) : of, at, value)
        }
      }
    }
    const name = target.is === 'name' ? target.name : ''
    const place = this.scope.find(name)
    if (!place) return () => value => state.globals.set(name, value)
    return frame => value => {
      const cell = frame[place.in][place.at]
      if (cell) cell.value = value
    }
  }

  /** `local names = values` */
  local(names: readonly string[], values: readonly Expression[]): Assign {
    const [only] = values
    // A function can name the variable that it becomes the value of.
    const isFunction = names.length === 1 && values.length === 1 && only?.is === 'function'
    const early = isFunction ? names.map(name => this.scope.declare(name)) : undefined
    const list = this.expressions.list(values)
    const slots = early ?? names.map(name => this.scope.declare(name))
    return frame => {
      this.state.spend()
      if (early) for (const slot of slots) frame.cells[slot] = { value: undefined }
      const made = list(frame)
      for (const [at, slot] of slots.entries()) {
        const cell = early ? frame.cells[slot] : undefined
        if (cell) cell.value = made[at]
        else frame.cells[slot] = { value: made[at] }
      }
    }
  }
}
