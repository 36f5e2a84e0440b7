import { Interpretation } from '../../../karmada/explain/interpretation.js'
import {
  CUSTOMIZATIONS,
  type Customization,
  RULES,
  type RuleName,
  scriptOf,
} from '../../../karmada/interpreter/customized/customization.js'
import {
  WEBHOOK_CONFIGURATIONS,
  type WebhookConfiguration,
} from '../../../karmada/interpreter/customized/webhook-configuration.js'
import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import { Code } from '../../../transcoding/code.js'
import { toFailure } from '../../errors/to-failure.js'
import type { Reader } from './reader.js'

/** Characters of a script that is compiled for each template and cluster. Those of Karmada's own examples have some hundreds. */
const LARGEST_SCRIPT = 64 << 10

/**
 * The resource interpreter of an instance. Kairship reads its configuration under its own credential: what it says of a template is no secret
 * to the caller, who may read the template and later its binding, but no role on a team's namespaces gives a right to it.
 * @returns also what is not as in Karmada, one sentence for each
 */
export async function interpreterOf(
  reader: Reader,
): Promise<{ readonly interpretation: Interpretation; readonly notes: readonly string[] }> {
  const notes: string[] = []
  const readable = async <T extends KubeObject>(type: GroupVersionResource): Promise<readonly T[]> => {
    try {
      return await reader.ownList<T>(type)
    } catch (error) {
      const { code, message } = toFailure(error)
      if (code !== Code.PERMISSION_DENIED) throw error
      notes.push(
        `templates are counted by Karmada’s own rules: Kairship may not read ${type.resource}: ${message}`,
      )
      return []
    }
  }
  const [all, webhooks] = await Promise.all([
    readable<Customization>(CUSTOMIZATIONS),
    readable<WebhookConfiguration>(WEBHOOK_CONFIGURATIONS),
  ])
  const isLarge = (one: Customization) =>
    (Object.keys(RULES) as RuleName[]).some(rule => scriptOf(one, rule).length > LARGEST_SCRIPT)
  for (const { metadata } of all.filter(isLarge))
    notes.push(
      `ResourceInterpreterCustomization ${metadata.name} is left out: it has a script of more than ${LARGEST_SCRIPT} characters`,
    )
  const customizations = all.filter(one => !isLarge(one))
  return { interpretation: new Interpretation({ customizations, webhooks }, Date.now), notes }
}
