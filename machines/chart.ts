import type { AnyStateMachine } from 'xstate'

/** A transition of an exported chart. Without a target it only runs its actions. */
export interface ChartTransition {
  readonly target?: unknown
  readonly guard?: NamedPart
  readonly actions?: readonly NamedPart[]
}
type NamedPart = string | { readonly type: string; readonly params?: unknown }
type Transitions = readonly ChartTransition[]

/** A state of an exported chart, as XState's machine configuration has it. */
export interface ChartState {
  readonly id?: string
  readonly description?: string
  readonly type?: string
  readonly initial?: unknown
  readonly history?: unknown
  readonly target?: unknown
  readonly tags?: unknown
  readonly entry?: readonly NamedPart[]
  readonly exit?: readonly NamedPart[]
  readonly invoke?: readonly object[]
  readonly on?: Readonly<Record<string, Transitions>>
  readonly always?: Transitions
  readonly after?: Readonly<Record<string, Transitions>>
  readonly onDone?: Transitions
  readonly states?: Readonly<Record<string, ChartState>>
}

/** The parts of XState's configuration that are read here; its own types depend on the machine. */
type Config = Readonly<Record<string, unknown>>

/**
 * A machine as JSON: XState's machine configuration with every function replaced by its name or left out. XState's
 * `createMachine` and the editors that read its format accept it. It is not `machine.definition`, which has no `always`.
 */
export const chartOf = (machine: AnyStateMachine): ChartState => stateOf(machine.config as unknown as Config)

function stateOf(config: Config): ChartState {
  const { id, description, type, initial, history, target, tags } = config
  const { entry, exit, invoke, on, always, after, onDone, states } = config
  const plain = Object.entries({ id, description, type, initial, history, target, tags })
  return {
    ...Object.fromEntries(plain.filter(([, value]) => value !== undefined)),
    ...(entry !== undefined && { entry: named(entry) }),
    ...(exit !== undefined && { exit: named(exit) }),
    ...(invoke !== undefined && { invoke: listOf(invoke).map(one => invocationOf(one as Config)) }),
    ...(on !== undefined && { on: mapped(on, transitionsOf) }),
    ...(always !== undefined && { always: transitionsOf(always) }),
    ...(after !== undefined && { after: mapped(after, transitionsOf) }),
    ...(onDone !== undefined && { onDone: transitionsOf(onDone) }),
    ...(states !== undefined && { states: mapped(states, state => stateOf(state as Config)) }),
  }
}

const invocationOf = ({ id, src, onDone, onError }: Config): object => ({
  id,
  src: typeof src === 'string' ? src : nameOf(src),
  ...(onDone !== undefined && { onDone: transitionsOf(onDone) }),
  ...(onError !== undefined && { onError: transitionsOf(onError) }),
})

function transitionsOf(value: unknown): Transitions {
  return listOf(value).map(one => {
    if (typeof one === 'string') return { target: one }
    const { target, guard, actions } = one as Config
    return {
      ...(target !== undefined && { target }),
      ...(guard !== undefined && { guard: guardOf(guard) }),
      ...(actions !== undefined && { actions: named(actions) }),
    }
  })
}

const named = (value: unknown): readonly NamedPart[] => listOf(value).map(partOf)

/** An action or a guard by its name; parameters that are computed from the event are left out. */
function partOf(part: unknown): NamedPart {
  if (typeof part === 'string') return part
  if (typeof part === 'function') return nameOf(part)
  const { type, params } = part as { readonly type: string; readonly params?: unknown }
  return params === undefined || typeof params === 'function' ? { type } : { type, params }
}

/** `not`, `and` and `or` are functions in XState; here they are words, as in `not is due (status)`. */
function guardOf(guard: unknown): NamedPart {
  return typeof guard === 'function' ? wordsOf(guard) : partOf(guard)
}
function wordsOf(guard: unknown): string {
  if (typeof guard !== 'function') {
    const part = partOf(guard)
    if (typeof part === 'string') return part
    return part.params === undefined ? part.type : `${part.type} (${String(part.params)})`
  }
  const parts = partsOf(guard)
  if (!parts) return nameOf(guard)
  const [first = '', ...others] = parts.map(part =>
    (partsOf(part)?.length ?? 0) > 1 ? `(${wordsOf(part)})` : wordsOf(part),
  )
  return guard.name === 'not' ? `not ${first}` : [first, ...others].join(` ${guard.name} `)
}

const partsOf = (guard: unknown) => (guard as { readonly guards?: readonly unknown[] }).guards

const nameOf = (part: unknown): string => (part as { readonly name?: string }).name || 'inline'
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])
const mapped = <T>(record: unknown, map: (value: unknown) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(record as object).map(([key, value]) => [key, map(value)]))
