import { QuantityError } from '../../manifests/quantity.js'
import { componentsOf } from '../interpreter/components.js'
import type { Counted } from '../interpreter/counted.js'
import { type Customization, type Operation, scriptsByKind } from '../interpreter/customized/customization.js'
import { CustomizedInterpreter } from '../interpreter/customized/customized-interpreter.js'
import { hookFor, type WebhookConfiguration } from '../interpreter/customized/webhook-configuration.js'
import { replicasOf, withReplicas } from '../interpreter/replicas.js'
import type { Resource } from '../interpreter/workload.js'
import { ScriptError, ScriptLimitError } from '../lua/run.js'

/** What a control plane's resource interpreter is configured with. */
export interface InterpreterRules {
  readonly customizations: readonly Customization[]
  readonly webhooks: readonly WebhookConfiguration[]
}

/** The interpreter has no answer for a template. The message is for people. */
export class InterpretationError extends Error {
  override readonly name = 'InterpretationError'
}

/** Steps that one script may take, for which other callers wait: a quarter of a second at the worst, and microseconds for usual ones. */
const MOST_STEPS = 1_000_000

/** Operations that a preview depends on. */
const OPERATIONS: readonly Operation[] = ['InterpretComponent', 'InterpretReplica', 'ReviseReplica']

/**
 * Karmada's resource interpreter as far as a preview needs it: customizations with Lua scripts come first, then the rules for third-party
 * and native kinds. Webhooks are not called: a preview sends nothing to anywhere.
 */
export class Interpretation {
  readonly #customized: CustomizedInterpreter
  readonly #scripts: ReturnType<typeof scriptsByKind>
  readonly #webhooks: readonly WebhookConfiguration[]

  /** @param now milliseconds since 1970, for scripts that want the time */
  constructor({ customizations, webhooks }: InterpreterRules, now: () => number) {
    this.#scripts = scriptsByKind(customizations)
    this.#webhooks = webhooks
    this.#customized = new CustomizedInterpreter(
      () => this.#scripts,
      () => Math.floor(now() / 1_000),
      MOST_STEPS,
    )
  }

  /** The components of a template, or else its replicas. @throws InterpretationError */
  counted(template: Resource): Counted {
    return explained(() => {
      const customized = this.#customized.components(template)
      const components = customized ? customized.value : componentsOf(template)
      if (components) return { components }
      const replicas = this.#customized.replicas(template)
      return { replicas: replicas ? replicas.value : replicasOf(template) }
    })
  }

  /** The template with the replicas of one cluster. @throws InterpretationError */
  revised(template: Resource, replicas: number): Resource {
    return explained(
      () => this.#customized.revise(template, replicas)?.value ?? withReplicas(template, replicas),
    )
  }

  /** What is not as Karmada does it for a template, as a sentence. */
  noteOf(template: Resource): string | undefined {
    const { apiVersion, kind } = template
    const scripts = this.#scripts.get(`${apiVersion} ${kind}`)
    const ids = OPERATIONS.filter(operation => !scripts?.has(operation)).flatMap(
      operation => hookFor(this.#webhooks, template, operation)?.id ?? [],
    )
    const [id] = ids
    return id === undefined
      ? undefined
      : `Karmada asks the interpreter webhook ${id} about each ${kind}, which is not called here: Karmada’s own rules count its replicas instead.`
  }
}

function explained<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof ScriptLimitError)
      throw new InterpretationError(
        `the Lua script of its ResourceInterpreterCustomization takes more than the ${MOST_STEPS} steps that are spent here: Karmada may run it`,
        { cause: error },
      )
    if (error instanceof ScriptError || error instanceof QuantityError)
      throw new InterpretationError(`Karmada’s interpreter fails: ${error.message}`, { cause: error })
    throw error
  }
}
