import { z } from 'zod'
import type { Operation } from '../../../karmada/interpreter/customized/customization.js'

const responseSchema = z.object({
  uid: z.string(),
  successful: z.boolean().default(false),
  status: z.object({ message: z.string().default(''), code: z.number().default(0) }).optional(),
  /** A JSON Patch in base64. */
  patch: z.string().default(''),
  patchType: z.string().optional(),
  replicas: z.number().int().optional(),
  replicaRequirements: z.json().optional(),
  components: z.json().optional(),
  dependencies: z.json().optional(),
  rawStatus: z.json().optional(),
  healthy: z.boolean().optional(),
})
const contextSchema = z.object({ response: responseSchema.nullish() })

/** config.karmada.io ResourceInterpreterResponse. */
export type WebhookResponse = z.infer<typeof responseSchema>

/** What a webhook answered is no answer to what was asked. The message is Karmada's. */
export class WebhookResponseError extends Error {
  override readonly name = 'WebhookResponseError'
}

/** The response in a webhook's answer. @throws WebhookResponseError */
export function responseIn(answer: unknown, uid: string, operation: Operation): WebhookResponse {
  const parsed = contextSchema.safeParse(answer)
  if (!parsed.success)
    throw new WebhookResponseError(`failed to call webhook: ${z.prettifyError(parsed.error)}`)
  const { response } = parsed.data
  const invalid = (why: string) => new WebhookResponseError(`received invalid webhook response: ${why}`)
  if (!response) throw invalid('webhook response was absent')
  if (response.uid !== uid) throw invalid(`expected response.uid "${uid}", got "${response.uid}"`)
  if (!response.successful) {
    const { status } = response
    if (!status) throw invalid('webhook require response.status when response.successful is false')
    throw new WebhookResponseError(
      `webhook call failed, get status code: ${status.code}, msg: ${status.message}`,
    )
  }
  const missing = missingIn(response, operation)
  if (missing !== undefined) throw invalid(missing)
  return response
}

function missingIn(response: WebhookResponse, operation: Operation): string | undefined {
  const { patch, patchType } = response
  switch (operation) {
    case 'InterpretReplica':
      return response.replicas === undefined ? 'webhook returned nil response.replicas' : undefined
    case 'InterpretStatus':
      return response.rawStatus === undefined ? 'webhook returned nill response.rawStatus' : undefined
    case 'InterpretHealth':
      return response.healthy === undefined ? 'webhook returned nil response.healthy' : undefined
    case 'ReviseReplica':
    case 'Retain':
    case 'AggregateStatus':
      if (patch === '' && patchType === undefined) return undefined
      if (patchType === undefined) return 'webhook returned nil response.patchType'
      if (patch === '') return 'webhook returned empty response.patch'
      return patchType === 'JSONPatch'
        ? undefined
        : `webhook returned invalid response.patchType of "${patchType}"`
    default:
      return undefined
  }
}
