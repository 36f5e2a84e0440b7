import type { ApiClient } from './api-client.js'
import { eventually } from './probe.js'

/** Attributes of a request as a SubjectAccessReview carries them; what is undefined is not asked about. */
export interface ResourceAttributes {
  readonly verb: string | undefined
  readonly group: string | undefined
  readonly resource: string | undefined
  readonly subresource?: string | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
}

/** Waits until an API server lets somebody do something: its authorizer learns of roles and bindings by watching. */
export async function becomesAllowed(
  client: ApiClient,
  who: { readonly user: string; readonly groups?: readonly string[] },
  resourceAttributes: ResourceAttributes,
): Promise<void> {
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
  const spec = { ...who, resourceAttributes }
  await eventually(
    async () => (await client.must<{ status: { allowed: boolean } }>('POST', path, { spec })).status.allowed,
    `${JSON.stringify(spec)} allowed`,
  )
}
