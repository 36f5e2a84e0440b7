/** What a Lua script says, as a tree. Every node knows the line of its first token: errors name it. */

export type Expression =
  | { readonly is: 'nil' | 'true' | 'false' | 'varargs'; readonly line: number }
  | { readonly is: 'number'; readonly line: number; readonly value: number }
  | { readonly is: 'string'; readonly line: number; readonly value: string }
  | { readonly is: 'name'; readonly line: number; readonly name: string }
  | {
      readonly is: 'index'
      readonly line: number
      readonly object: Expression
      readonly key: Expression
    }
  | { readonly is: 'parenthesis'; readonly line: number; readonly inner: Expression }
  | Call
  | FunctionExpression
  | {
      readonly is: 'binary'
      readonly line: number
      readonly operator: BinaryOperator
      readonly left: Expression
      readonly right: Expression
    }
  | {
      readonly is: 'unary'
      readonly line: number
      readonly operator: '-' | 'not' | '#'
      readonly operand: Expression
    }
  | { readonly is: 'table'; readonly line: number; readonly fields: readonly Field[] }

export type BinaryOperator =
  | ('or' | 'and')
  | ('<' | '>' | '<=' | '>=' | '==' | '~=')
  | ('..' | '+' | '-' | '*' | '/' | '%' | '^')

/** `f(…)`, or `object:method(…)` where a method is given. */
export interface Call {
  readonly is: 'call'
  readonly line: number
  readonly callee: Expression
  readonly method?: string
  readonly args: readonly Expression[]
}

export interface FunctionExpression {
  readonly is: 'function'
  readonly line: number
  readonly parameters: readonly string[]
  readonly hasVarargs: boolean
  readonly body: Block
}

/** An entry of a table constructor; without a key it gets the next index. */
export interface Field {
  readonly key?: Expression
  readonly value: Expression
}

export type Block = readonly Statement[]

export type Statement =
  | {
      readonly is: 'assign'
      readonly line: number
      readonly targets: readonly Expression[]
      readonly values: readonly Expression[]
    }
  | {
      readonly is: 'local'
      readonly line: number
      readonly names: readonly string[]
      readonly values: readonly Expression[]
    }
  | { readonly is: 'call statement'; readonly line: number; readonly call: Expression }
  | { readonly is: 'do'; readonly line: number; readonly body: Block }
  | {
      readonly is: 'while' | 'repeat'
      readonly line: number
      readonly condition: Expression
      readonly body: Block
    }
  | {
      readonly is: 'if'
      readonly line: number
      readonly branches: readonly { readonly condition: Expression; readonly body: Block }[]
      readonly otherwise: Block
    }
  | {
      readonly is: 'numeric for'
      readonly line: number
      readonly name: string
      readonly from: Expression
      readonly to: Expression
      readonly step?: Expression
      readonly body: Block
    }
  | {
      readonly is: 'generic for'
      readonly line: number
      readonly names: readonly string[]
      readonly values: readonly Expression[]
      readonly body: Block
    }
  | { readonly is: 'return'; readonly line: number; readonly values: readonly Expression[] }
  | { readonly is: 'break'; readonly line: number }
  | { readonly is: 'label' | 'goto'; readonly line: number; readonly name: string }

/** A script that is not Lua. The message is that of gopher-lua, Karmada's Lua. */
export class LuaSyntaxError extends Error {
  override readonly name = 'LuaSyntaxError'
}

/** The name that Karmada's scripts have in messages. */
export const SOURCE = '<string>'
