import type { KubeApi } from '../../ports/kube-api.js'
import type { RoleBindingDeliveries } from '../../ports/role-binding-deliveries.js'
import { DeliveredBindings } from './delivered-bindings.js'
import { WebhookSecrets } from './webhook-secrets.js'

/** How the role-binding webhook verifies and stores deliveries. */
export interface RoleBindingWebhook {
  readonly deliveries: RoleBindingDeliveries
  /** The secrets that count now. @throws ServiceSettingError */
  secrets(): Promise<readonly Uint8Array[]>
}

/**
 * The role-binding webhook that the settings ask for; undefined where they ask for none.
 * @param host the host under a credential that may write role bindings
 * @throws ServiceSettingError for a file that cannot be used
 */
export async function webhookOf(
  { roleBindingWebhookKeysFile: path }: { readonly roleBindingWebhookKeysFile: string | undefined },
  host: KubeApi,
): Promise<RoleBindingWebhook | undefined> {
  if (path === undefined) return undefined
  const file = new WebhookSecrets(path, 'roleBindingWebhookKeysFile')
  await file.current()
  return { deliveries: new DeliveredBindings(host), secrets: () => file.current() }
}
