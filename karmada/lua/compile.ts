import { AssignmentCompiler } from './compile-assignment.js'
import { ExpressionCompiler, type MakeFunction } from './compile-expression.js'
import { compileError, type Frame, FunctionScope } from './scope.js'
import type { LuaState } from './state.js'
import type { Block, Expression, FunctionExpression, Statement } from './syntax.js'
import { type LuaFunction, TailCall, type Value } from './table.js'
import { isFunction, isTrue } from './value.js'

/** How a statement ended: undefined goes on with the next one. */
type Outcome = undefined | 'break' | { readonly goto: string } | { readonly results: Returned }
type Returned = readonly Value[] | TailCall
type Run = (frame: Frame) => Outcome

/** A script as a function. @throws LuaSyntaxError */
export function compileChunk(state: LuaState, body: Block): LuaFunction {
  const scope = new FunctionScope(undefined, true)
  const run = new StatementCompiler(state, scope).block(body)
  return { call: () => resultsOf(run({ cells: [], outer: [], varargs: [] })) }
}

const resultsOf = (outcome: Outcome): Returned =>
  typeof outcome === 'object' && 'results' in outcome ? outcome.results : []

/** Compiles the statements of one function. */
class StatementCompiler {
  readonly #expressions: ExpressionCompiler
  readonly #assignments: AssignmentCompiler

  constructor(
    private readonly state: LuaState,
    private readonly scope: FunctionScope,
  ) {
    this.#expressions = new ExpressionCompiler(state, scope, expression => this.#function(expression))
    this.#assignments = new AssignmentCompiler(state, scope, this.#expressions)
  }

  /** @param after compiles what still sees the variables of the block: the condition of `repeat` */
  block(body: Block, after?: (run: Run) => Run): Run {
    const labels = new Map<string, number>()
    for (const [at, statement] of body.entries()) {
      if (statement.is !== 'label') continue
      if (labels.has(statement.name))
        throw compileError(statement.line + 1, `label '${statement.name}' already defined`)
      labels.set(statement.name, at)
    }
    return this.scope.block([...labels.keys()], () => {
      const runs = body.map(statement => this.#statement(statement))
      const run: Run = frame => {
        for (let at = 0; at < runs.length; at++) {
          const outcome = runs[at]?.(frame)
          if (outcome === undefined) continue
          const target =
            typeof outcome === 'object' && 'goto' in outcome ? labels.get(outcome.goto) : undefined
          if (target === undefined) return outcome
          this.state.spend()
          at = target
        }
        return undefined
      }
      return after ? after(run) : run
    })
  }

  #function({ parameters, hasVarargs, body }: FunctionExpression): MakeFunction {
    const scope = new FunctionScope(this.scope, hasVarargs)
    const slots = parameters.map(name => scope.declare(name))
    const run = new StatementCompiler(this.state, scope).block(body)
    const { taken } = scope
    return frame => {
      const outer = taken.map(place => frame[place.in][place.at])
      return {
        call: args => {
          this.state.spend()
          const cells = slots.map((_, at) => ({ value: args[at] }))
          return resultsOf(run({ cells, outer, varargs: hasVarargs ? args.slice(slots.length) : [] }))
        },
      }
    }
  }

  #statement(statement: Statement): Run {
    const { state, scope } = this
    switch (statement.is) {
      case 'assign':
        return this.#assignments.assignment(statement.targets, statement.values)
      case 'local':
        return this.#assignments.local(statement.names, statement.values)
      case 'call statement': {
        const call = this.#expressions.many(statement.call)
        return frame => void call(frame)
      }
      case 'do':
        return this.block(statement.body)
      case 'while': {
        const condition = this.#expressions.one(statement.condition)
        const body = this.#loop(statement.body)
        return frame => {
          while (isTrue(condition(frame))) {
            state.line = statement.line
            state.spend()
            const outcome = body(frame)
            if (outcome !== undefined) return outcome === 'break' ? undefined : outcome
          }
          return undefined
        }
      }
      case 'repeat':
        return this.#repeat(statement.condition, statement.body, statement.line)
      case 'if':
        return this.#if(statement)
      case 'numeric for':
        return this.#numericFor(statement)
      case 'generic for':
        return this.#genericFor(statement)
      case 'return':
        return this.#return(statement.values)
      case 'break':
        if (scope.loops === 0) throw compileError(statement.line, 'no loop to break')
        return () => 'break'
      case 'goto': {
        if (!scope.hasLabel(statement.name))
          throw compileError(
            statement.line,
            `no visible label '${statement.name}' for <goto> at line ${statement.line}`,
          )
        const outcome = { goto: statement.name }
        return () => outcome
      }
      case 'label':
        return () => undefined
    }
  }

  #loop(body: Block, after?: (run: Run) => Run): Run {
    this.scope.loops++
    const run = this.block(body, after)
    this.scope.loops--
    return run
  }

  #repeat(until: Expression, statements: Block, line: number): Run {
    let isDone: (frame: Frame) => boolean = () => true
    const body = this.#loop(statements, run => {
      const condition = this.#expressions.one(until)
      isDone = frame => isTrue(condition(frame))
      return run
    })
    return frame => {
      do {
        this.state.line = line
        this.state.spend()
        const outcome = body(frame)
        if (outcome !== undefined) return outcome === 'break' ? undefined : outcome
      } while (!isDone(frame))
      return undefined
    }
  }

  #if({ branches, otherwise }: Statement & { readonly is: 'if' }): Run {
    const compiled = branches.map(({ condition, body }) => ({
      condition: this.#expressions.one(condition),
      body: this.block(body),
    }))
    const last = this.block(otherwise)
    return frame => {
      for (const { condition, body } of compiled) if (isTrue(condition(frame))) return body(frame)
      return last(frame)
    }
  }

  #numericFor({ line, name, from, to, step, body }: Statement & { readonly is: 'numeric for' }): Run {
    const { state } = this
    const [first, last] = [this.#expressions.one(from), this.#expressions.one(to)]
    const by = step ? this.#expressions.one(step) : () => 1
    return this.scope.block([], () => {
      const slot = this.scope.declare(name)
      const run = this.#loop(body)
      return frame => {
        const [start, limit, pace] = [first(frame), last(frame), by(frame)]
        state.line = line
        if (typeof start !== 'number') throw state.error('for statement init must be a number')
        if (typeof pace !== 'number') throw state.error('for statement step must be a number')
        if (typeof limit !== 'number') throw state.error('for statement limit must be a number')
        // As Karmada's Lua counts: from one step before the first value.
        for (let at = start - pace + pace; pace > 0 ? at <= limit : at >= limit; at += pace) {
          state.spend()
          frame.cells[slot] = { value: at }
          const outcome = run(frame)
          if (outcome !== undefined) return outcome === 'break' ? undefined : outcome
        }
        return undefined
      }
    })
  }

  #genericFor({ line, names, values, body }: Statement & { readonly is: 'generic for' }): Run {
    const { state } = this
    const list = this.#expressions.list(values)
    return this.scope.block([], () => {
      const slots = names.map(name => this.scope.declare(name))
      const run = this.#loop(body)
      return frame => {
        const [next, subject, first] = list(frame)
        let control = first
        for (;;) {
          state.line = line
          state.spend()
          const made = state.call(next, [subject, control])
          control = made[0]
          if (control === undefined) return undefined
          for (const [at, slot] of slots.entries()) frame.cells[slot] = { value: made[at] }
          const outcome = run(frame)
          if (outcome !== undefined) return outcome === 'break' ? undefined : outcome
        }
      }
    })
  }

  #return(values: readonly Expression[]): Run {
    const [only] = values
    if (values.length === 1 && only?.is === 'call') {
      const call = this.#expressions.call(only)
      return frame => {
        const { callee, args, name } = call(frame)
        if (!isFunction(callee)) throw this.state.error('attempt to call a non-function object')
        return { results: new TailCall(callee, args, name) }
      }
    }
    const list = this.#expressions.list(values)
    return frame => ({ results: list(frame) })
  }
}
