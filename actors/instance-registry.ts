import { INSTANCE_REGISTRATIONS, renderRegistration } from '../manifests/instance-registration.js'
import { apply, removeWhole } from './apply.js'
import { provided } from './effect.js'
import { fail } from './failure.js'
import { fingerprint, revisionOf } from './outside-object.js'
import type { Surroundings } from './surroundings.js'

const stage = 'registration'

/** The instance-registry controller: makes the instance known to Global Management, and withdraws it first of all. */
export const publishRegistration = (surroundings: Surroundings) =>
  provided(surroundings, { name: 'publish the registration', stage }, async ({ name, instance }, signal) => {
    const { host } = surroundings
    const wanted = renderRegistration(instance)
    const present = host.registrations.get(name)
    if (present?.outside.deleting) fail('StillThere', stage, `InstanceRegistration ${name} is being deleted`)
    if (present?.outside.revision.endsWith(`/${fingerprint([wanted.spec, wanted.metadata.labels])}`))
      return present.outside.revision
    return revisionOf(await apply(host.api, INSTANCE_REGISTRATIONS, wanted, signal))
  })

export const withdrawRegistration = (surroundings: Surroundings) =>
  provided(surroundings, { name: 'withdraw the registration', stage }, async ({ name }, signal) => {
    await removeWhole(
      surroundings.host.api,
      INSTANCE_REGISTRATIONS,
      { name },
      { instance: name, stage, signal },
    )
    return 'gone'
  })
