import { INSTANCE_REGISTRATIONS, renderRegistration } from '../../../manifests/instance-registration.js'
import { isAsWritten, revisionOf } from '../../host/kept-object.js'
import { apply, removeWhole } from '../../kube/apply.js'
import { fail } from '../../kube/failure.js'
import type { InstanceDependencies } from '../dependencies.js'
import { leaderEffect } from './leader-effect.js'

const stage = 'registration'

/** The instance-registry controller: makes the instance known to Global Management, and withdraws it first of all. */
export const publishRegistration = (dependencies: InstanceDependencies) =>
  leaderEffect(
    dependencies,
    { name: 'publish the registration', stage },
    async ({ name, instance }, signal) => {
      const { host } = dependencies
      const wanted = renderRegistration(instance, dependencies.console)
      const present = host.registrations.get(name)
      if (present?.outside.deleting)
        fail('StillThere', stage, `InstanceRegistration ${name} is being deleted`)
      if (present && isAsWritten(present, wanted)) return present.outside.revision
      return revisionOf(await apply(host.api, INSTANCE_REGISTRATIONS, wanted, signal))
    },
  )

export const withdrawRegistration = (dependencies: InstanceDependencies) =>
  leaderEffect(dependencies, { name: 'withdraw the registration', stage }, async ({ name }, signal) => {
    await removeWhole(
      dependencies.host.api,
      INSTANCE_REGISTRATIONS,
      { name },
      { instance: name, stage, signal },
    )
    return 'gone'
  })
