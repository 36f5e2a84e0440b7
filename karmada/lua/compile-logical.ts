import type { Frame } from './scope.js'
import type { Expression } from './syntax.js'
import type { Value } from './table.js'
import { isTrue } from './value.js'

/** Puts the value of an expression into a variable with `set`. @returns whether the value is true */
export type Into = (frame: Frame, set: (value: Value) => void) => boolean

/** Compiles a part of an expression. */
interface Parts {
  one(expression: Expression): (frame: Frame) => Value
  /** Whether it is a local variable of the function. */
  isOwn(expression: Expression): boolean
}

/** Where the value of a part leads. */
interface Ways {
  /** A true one ends the expression. */
  readonly endsTrue: boolean
  readonly endsFalse: boolean
  /** A true one goes past the next part: the part is what is left of an `or`. */
  readonly skips: boolean
}

const COMPARISONS: readonly string[] = ['<', '>', '<=', '>=', '==', '~=']

/** Whether it is made of `and` or `or`; parentheses make no difference. */
export function isLogical(expression: Expression): boolean {
  const bare = withoutParentheses(expression)
  return bare.is === 'binary' && (bare.operator === 'and' || bare.operator === 'or')
}

/**
 * Compiles `variable = left and right` for a local variable of the function. Karmada's Lua computes each part in a place of its own, and copies
 * it into the variable not always where it has to, and sometimes where it has not (gopher-lua 1.1.1, `compileLogicalOpExprAux`):
 * - a part that ends the expression because it is nil or false is copied only where it is a constant, a comparison or a local variable,
 *   so that `a = o.missing and 5` leaves a as it is;
 * - what is left of an `or` is copied when it is true, so that `a` in `a = (o.spec or 5) and a` is `o.spec`.
 */
export function compileLogical(expression: Expression, parts: Parts): Into {
  return part(expression, { endsTrue: true, endsFalse: true, skips: false })

  function part(expression: Expression, ways: Ways): Into {
    const bare = withoutParentheses(expression)
    if (bare.is !== 'binary' || (bare.operator !== 'and' && bare.operator !== 'or')) return leaf(bare, ways)
    const isAnd = bare.operator === 'and'
    const left = part(
      bare.left,
      isAnd ? { ...ways, endsTrue: false, skips: false } : { ...ways, endsFalse: false, skips: true },
    )
    const right = part(bare.right, ways)
    return (frame, set) => (left(frame, set) === isAnd ? right(frame, set) : !isAnd)
  }

  function leaf(expression: Expression, { endsTrue, endsFalse, skips }: Ways): Into {
    const value = parts.one(expression)
    const copies = (isTrue: boolean): boolean => {
      if (isConstant(expression) || isComparison(expression)) return isTrue ? endsTrue : endsFalse
      if (endsTrue && endsFalse) return true
      if (isTrue) return skips
      return endsFalse && parts.isOwn(expression)
    }
    const [copiesTrue, copiesFalse] = [copies(true), copies(false)]
    return (frame, set) => {
      const made = value(frame)
      const is = isTrue(made)
      if (is ? copiesTrue : copiesFalse) set(made)
      return is
    }
  }
}

export function withoutParentheses(expression: Expression): Expression {
  let bare = expression
  while (bare.is === 'parenthesis') bare = bare.inner
  return bare
}

const isConstant = ({ is }: Expression): boolean =>
  is === 'nil' || is === 'true' || is === 'false' || is === 'number' || is === 'string'

const isComparison = (expression: Expression): boolean =>
  expression.is === 'binary' && COMPARISONS.includes(expression.operator)
