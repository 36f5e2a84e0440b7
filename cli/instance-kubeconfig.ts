import type { Rest } from '../client/rest.js'
import { serviceClient } from '../client/service-client.js'
import { InstanceService } from '../proto/gen/kairship/instance_pb.js'

/** The kubeconfig through Kairship's proxy, without credentials. */
export async function kubeconfigOf(client: Rest, instance: string): Promise<string> {
  const answer = await serviceClient(InstanceService, client).getInstanceKubeConfig({ instance })
  return answer.kubeConfigString
}
