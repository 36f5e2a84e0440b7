import type { InstanceActor } from '../../../actors/fleet/instance-actor.js'
import type { Registry } from '../../../actors/fleet/registry.js'
import type { Instance } from '../../../manifests/instance.js'

/** An actor of a replica that does not lead, which has started. */
export function started(registry: Registry, instance: Instance): InstanceActor {
  const actor = registry.add(instance)
  registry.start(actor.name, false)
  return actor
}
