import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import type { ClientContext } from '../client/client.js'
import { CommandError, ExitCode } from '../exit-code.js'
import { instanceObject } from '../print/instance-object.js'
import { instanceName, printed } from '../print/print.js'
import { instanceMessage, instanceWatchMessage } from './instance-message.js'

/** `kairship adopt NAME --kubeconfig-secret NAMESPACE/NAME`: puts a running Karmada control plane under management. */
export async function adoptInstance(context: ClientContext, config: Config, name: string): Promise<ExitCode> {
  if (config.kubeconfigSecret === undefined)
    throw new CommandError(
      '--kubeconfig-secret is required: namespace/name of the Secret on the host cluster that holds the kubeconfig of the control plane',
      ExitCode.usage,
    )
  const [namespace = '', secret = ''] = config.kubeconfigSecret.split('/')
  const answer = await jsonClient(InstanceService, context.client).createInstance({
    data: {
      metadata: { name },
      spec: {
        kubeconfigSecretRef: { namespace, name: secret },
        ...(config.alias !== undefined && { alias: config.alias }),
      },
    },
  })
  context.out(printed(instanceObject(answer), config.output) ?? `${instanceName(name)} created\n`)
  return ExitCode.ok
}

/** `kairship delete instance NAME...`: starts their removal. With `--wait` it returns when they are gone. */
export async function deleteInstances(
  context: ClientContext,
  config: Config,
  names: readonly string[],
): Promise<ExitCode> {
  for (const name of names) {
    await jsonClient(InstanceService, context.client).deleteInstance({ name })
    if (config.output !== 'name') context.out(`${instanceName(name)} is being deleted\n`)
    if (config.wait) await gone(context, name)
    if (config.output === 'name') context.out(`${instanceName(name)}\n`)
    else if (config.wait && !context.signal.aborted) context.out(`${instanceName(name)} deleted\n`)
  }
  return context.signal.aborted ? ExitCode.failed : ExitCode.ok
}

/** Resolves when an instance is no more, or when the command is interrupted. */
async function gone({ client, signal }: ClientContext, name: string): Promise<void> {
  let isThere = false
  try {
    for await (const raw of jsonClient(InstanceService, client).watchInstances({ name }, { signal })) {
      const { type, instance } = instanceWatchMessage.parse(raw)
      // The filter is a part of names.
      if (instance && instanceMessage.parse(instance).metadata.name !== name) continue
      if (type === 'ADDED' || type === 'MODIFIED') isThere = true
      // What is there at first comes before the bookmark.
      if (type === 'DELETED' || (type === 'BOOKMARK' && !isThere)) return
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
