import type { Refusal } from '../../../karmada/admission/validate.js'
import { customizationRefusal } from '../../../karmada/admission/validate-customization.js'
import {
  type Customization,
  type Scripts,
  scriptsByKind,
} from '../../../karmada/interpreter/customized/customization.js'
import { CustomizedInterpreter } from '../../../karmada/interpreter/customized/customized-interpreter.js'
import { InterpreterChain } from '../../../karmada/interpreter/interpreter-chain.js'
import { nativeInterpreter, thirdPartyInterpreter } from '../../../karmada/interpreter/native-interpreter.js'
import type { KubeObject } from '../../../manifests/kube.js'
import type { Observed } from '../propagation/observed.js'
import { WebhookInterpreter } from './webhook-interpreter.js'

/**
 * The resource interpreters of a control plane, in Karmada's order. A customization that is new or changed counts from the next look at an
 * object on; as in Karmada it is no reason to look.
 */
export class Interpreters {
  #observed: Observed | undefined
  #scripts: ReadonlyMap<string, Scripts> | undefined
  readonly chain: InterpreterChain

  /** @param now milliseconds */
  constructor(now: () => number) {
    this.chain = new InterpreterChain([
      new CustomizedInterpreter(
        () => this.#scriptsByKind,
        () => Math.floor(now() / 1_000),
      ),
      new WebhookInterpreter(() => this.#observed?.interpreterWebhooks.values() ?? []),
      thirdPartyInterpreter,
      nativeInterpreter,
    ])
  }

  /** To be called before the control plane is watched. Nothing is refused before: the webhooks are there first. */
  observe(observed: Observed): void {
    this.#observed = observed
    observed.customizations.listen(() => {
      this.#scripts = undefined
    })
  }

  /** Why Karmada's webhooks refuse an object that configures interpreters. */
  refusal(object: KubeObject): Refusal | undefined {
    if (object.kind !== 'ResourceInterpreterCustomization') return undefined
    if (!object.apiVersion.startsWith('config.karmada.io/')) return undefined
    const message = customizationRefusal(object as Customization, this.#customizations)
    const webhook = 'resourceinterpretercustomization.karmada.io'
    return message === undefined ? undefined : { webhook, message }
  }

  get #customizations(): readonly Customization[] {
    return this.#observed?.customizations.values() ?? []
  }

  get #scriptsByKind(): ReadonlyMap<string, Scripts> {
    this.#scripts ??= scriptsByKind(this.#customizations)
    return this.#scripts
  }
}
