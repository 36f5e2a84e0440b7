import { installationNamespace, KARMADAS, renderKarmada } from '../../../manifests/karmada.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { isMadeFor, labelsOf } from '../../../manifests/names.js'
import { NAMESPACES } from '../../../manifests/reserved-namespaces.js'
import { isAsWritten, revisionOf } from '../../host/kept-object.js'
import { apply, find, removeWhole } from '../../kube/apply.js'
import { fail } from '../../kube/failure.js'
import type { InstanceDependencies } from '../dependencies.js'
import { leaderEffect } from './leader-effect.js'

/** Lets karmada-operator bring a control plane up: a namespace, unless it exists, and a Karmada object in it. */
export const install = (dependencies: InstanceDependencies) =>
  leaderEffect(
    dependencies,
    { name: 'install the control plane', stage: 'installation' },
    async ({ name, instance }, signal) => {
      const { api, karmadas } = dependencies.host
      const wanted = renderKarmada(instance)
      const namespace = installationNamespace(instance)
      const present = karmadas.get(`${namespace}/${name}`)
      if (present && !isMadeFor(present, name))
        fail('Conflict', 'installation', `Karmada ${namespace}/${name} exists and was not made by Kairship`)
      if (present?.outside.deleting)
        fail('StillThere', 'installation', `Karmada ${namespace}/${name} is being deleted`)
      if (present && isAsWritten(present, wanted)) return present.outside.revision
      if (!(await find(api, NAMESPACES, { name: namespace }, signal)))
        await apply(api, NAMESPACES, namespaceObject(namespace, name), signal)
      return revisionOf(await apply(api, KARMADAS, wanted, signal))
    },
  )

/** Takes down what `install` brought up; the operator's own finalizer decides when the Karmada object is gone. */
export const uninstall = (dependencies: InstanceDependencies) =>
  leaderEffect(
    dependencies,
    { name: 'uninstall the control plane', stage: 'uninstallation' },
    async ({ name, instance }, signal) => {
      const namespace = installationNamespace(instance)
      const bound = { instance: name, stage: 'uninstallation', signal } as const
      await removeWhole(dependencies.host.api, KARMADAS, { namespace, name }, bound)
      await removeWhole(dependencies.host.api, NAMESPACES, { name: namespace }, bound)
      return 'gone'
    },
  )

const namespaceObject = (namespace: string, instance: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: namespace, labels: labelsOf(instance) },
})
