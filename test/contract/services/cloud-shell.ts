import { deepEqual, equal, ok } from 'node:assert/strict'
import { cloudShellDefinition } from '../../scenarios/support/cloud-shell-definition.js'
import type { ServiceScenarios } from '../scenario.js'

const SHELLS = '/apis/cloudshell.cloudtty.io/v1alpha1/namespaces/kairship-cloudshells/cloudshells'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Scenarios of the CloudShell service. */
export const cloudShell: ServiceScenarios = {
  service: 'CloudShell',
  scenarios: [
    {
      proves: ['CreateCloudShell', 'GetCloudShell', 'DeleteCloudShell'],
      async run({ ask, eventually, host, refused }) {
        await host('POST', DEFINITIONS, cloudShellDefinition)
        try {
          await eventually(() => host('GET', SHELLS))
          const { metadata } = await ask('CreateCloudShell', { data: { spec: { ttl: 700 } } })
          const { name } = metadata
          ok((await host('GET', `${SHELLS}/${name}`)).spec.secretRef.name)
          await host('PATCH', `${SHELLS}/${name}/status`, { status: { phase: 'Ready', accessUrl: 'a:1' } })
          const shown = await ask('GetCloudShell', { name })
          deepEqual([shown.status.accessUrl, shown.spec.ttl], ['a:1', 700])
          deepEqual(await ask('DeleteCloudShell', { name }), {})
          equal(await refused('GetCloudShell', { name }), 404)
        } finally {
          await host('DELETE', `${DEFINITIONS}/${cloudShellDefinition.metadata.name}`)
          await eventually(async () => {
            const { items } = await host('GET', DEFINITIONS)
            const names = items.map((item: { metadata: { name: string } }) => item.metadata.name)
            ok(!names.includes(cloudShellDefinition.metadata.name))
          })
        }
      },
    },
  ],
}
