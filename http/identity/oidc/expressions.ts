import { createContext, Script } from 'node:vm'
import { Environment } from '@marcbachmann/cel-js'

/** The variable that an expression reads: the token's claims, or the user that was made of them. */
export type ExpressionOf = 'claims' | 'user'

/** A compiled expression. @throws Error for a missing member or a wrong type */
export type Program = (value: unknown) => unknown

const OPTIONS = {
  enableOptionalTypes: true,
  // As in Kubernetes: `[claims.sub, 1]` is a list of both.
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 10_000, maxDepth: 100 },
}

/** Characters that `replace` gives at most: far more than a whole token has. */
const LONGEST_TEXT = 65_536

/** Each `replace` of an expression can square the length of a text. Some hundred million pieces end the process, and no catch helps. */
function replaced(text: string, from: string, to: string): string {
  const pieces = text.split(from)
  if (text.length + (pieces.length - 1) * (to.length - from.length) > LONGEST_TEXT)
    throw new Error(`replace: the text would have more than ${LONGEST_TEXT} characters`)
  return pieces.join(to)
}

/** Text functions of Kubernetes' CEL that the library lacks: cel-go's string extension, and `find`. */
const withTextFunctions = (environment: Environment): Environment =>
  environment
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
      replaced(text, from, to),
    )
    .registerFunction('string.charAt(int): string', (text: string, at: bigint) => {
      const characters = [...text]
      if (at < 0n || at > BigInt(characters.length)) throw new Error(`charAt: index out of range: ${at}`)
      return characters[Number(at)] ?? ''
    })
    .registerFunction(
      'string.find(string): string',
      (text: string, pattern: string) => new RegExp(pattern, 'u').exec(text)?.[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
      [...text.matchAll(new RegExp(pattern, 'gu'))].map(([found]) => found),
    )

/** The types are those of Kubernetes: claims are a map of anything, a user is authentication.k8s.io/v1's UserInfo. */
const environments: Readonly<Record<ExpressionOf, Environment>> = {
  claims: withTextFunctions(new Environment(OPTIONS)).registerVariable('claims', 'map<string, dyn>'),
  user: withTextFunctions(new Environment(OPTIONS)).registerVariable({
    name: 'user',
    schema: {
      username: 'string',
      uid: 'string',
      groups: 'list<string>',
      extra: 'map<string, list<string>>',
    },
  }),
}

/** What is wrong with an expression; undefined when it compiles and, where that is wanted, gives a bool. */
export function problemOfExpression(
  expression: string,
  of: ExpressionOf,
  wanted: 'bool' | 'any',
): string | undefined {
  const { valid, type, error } = environments[of].check(expression)
  if (!valid) return `does not compile: ${firstLine(error)}`
  if (wanted === 'bool' && type !== 'bool') return `must give a bool, and gives ${type}`
  return undefined
}

/** @throws Error for an expression that has a problem */
export function compileExpression(expression: string, of: ExpressionOf): Program {
  const program = environments[of].parse(expression)
  return value => program({ [of]: value })
}

/** Whether an expression reads `claims.<claim>` or `claims.?<claim>`. */
export function readsClaim(expression: string | undefined, claim: string): boolean {
  if (!expression || problemOfExpression(expression, 'claims', 'any') !== undefined) return false
  const reads = (node: unknown): boolean => {
    if (Array.isArray(node)) return node.some(reads)
    if (typeof node !== 'object' || node === null || !('op' in node) || !('args' in node)) return false
    const { op, args } = node
    if ((op === '.' || op === '.?') && Array.isArray(args) && isClaims(args[0]) && args[1] === claim)
      return true
    return reads(args)
  }
  return reads(environments.claims.parse(expression).ast)
}

const isClaims = (node: unknown): boolean =>
  typeof node === 'object' &&
  node !== null &&
  'op' in node &&
  node.op === 'id' &&
  'args' in node &&
  node.args === 'claims'

/**
 * How long the expressions of one token may run together, milliseconds. They take some ten microseconds; kube-apiserver's limit of
 * cost is made for 100 ms. A regular expression that backtracks without end is stopped here.
 */
const MOST_MS = 250

const context: { run?: () => unknown } = {}
createContext(context)
const script = new Script('run()')

/** What was stopped, and has used less CPU than this in all, had no time to run in: the machine was busy, or slept. Milliseconds. */
const LEAST_CPU_MS = 50
/** How often such work is begun. */
const MOST_TRIES = 5

/** Thrown where expressions were stopped: this process did nothing else meanwhile. */
export class RanTooLong extends Error {
  override readonly name = 'RanTooLong'
}

/** Thrown where the machine gave the process no time to look at a token: that says nothing about the token. */
export class Stalled extends Error {
  override readonly name = 'Stalled'
}

/**
 * Runs expressions, and stops them when they take too long. The clock alone does not say that: a process that was not let run has used no CPU,
 * and begins again.
 * @param work may run several times
 * @throws Stalled; RanTooLong when they are stopped; what `work` throws
 */
export function bounded<T>(work: () => T): T {
  const before = process.cpuUsage()
  for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
    context.run = work
    try {
      return script.runInContext(context, { timeout: MOST_MS }) as T
    } catch (error) {
      // An Error of the other context, which is no instance of this one's.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      const { user, system } = process.cpuUsage(before)
      if ((user + system) / 1_000 >= LEAST_CPU_MS)
        throw new RanTooLong(`the expressions ran for longer than ${MOST_MS} ms`, { cause: error })
    } finally {
      delete context.run
    }
  }
  throw new Stalled('the machine is too busy to look at the token')
}

/** Members of a token deeper than this are refused. */
const DEEPEST = 32

/** A claim as CEL sees it: whole numbers are ints. @throws Error for one that is nested too deep */
export function celValue(value: unknown, depth = 0): unknown {
  if (depth > DEEPEST) throw new Error(`the claims are nested deeper than ${DEEPEST}`)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(item => celValue(item, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, celValue(item, depth + 1)]))
}

/** The library adds an excerpt of the expression in further lines. */
export const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
