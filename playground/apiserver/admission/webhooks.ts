import type { JsonObject } from '../../apimachinery/json.js'
import { customStatus } from '../api-status.js'

/** A refusal by a validating webhook. */
export interface WebhookRefusal {
  /** The name of the webhook. */
  readonly webhook: string
  readonly message: string
  /** The reason of the Status; `Forbidden` unless given. */
  readonly reason?: string
}

/** Plays a cluster's webhooks, in the transaction of a write: pure, and `mutate` idempotent. */
export interface Webhooks {
  /** What is made of a new or changed object. @param old absent when it is new */
  mutate(object: JsonObject, old?: JsonObject): JsonObject
  /** Why a new or changed object is refused, where it is. @param old absent when it is new */
  validate(object: JsonObject, old?: JsonObject): WebhookRefusal | undefined
  /** Why an object may not be deleted, where it may not. */
  validateDeletion(object: JsonObject): WebhookRefusal | undefined
}

/** Turns a refusal into the answer that kube-apiserver gives. @throws StatusError Forbidden */
export function refuse(refusal: WebhookRefusal | undefined): void {
  if (!refusal) return
  const { webhook, message, reason = 'Forbidden' } = refusal
  throw customStatus(
    403,
    reason,
    `admission webhook ${JSON.stringify(webhook)} denied the request: ${message}`,
  )
}
