import { deepEqual, equal, ok } from 'node:assert/strict'
import type { ServiceScenarios } from '../scenario.js'

const shop = { workspace: 'shop', workspaceId: 2 }

/** Scenarios of the Workspace service. */
export const workspace: ServiceScenarios = {
  service: 'Workspace',
  scenarios: [
    {
      proves: ['ListWorkspaces', 'ListInstances', 'BindInstances'],
      alone: true,
      async run({ ask, instance, refused }) {
        const { items } = await ask('ListWorkspaces', { sortBy: 'workspace', sortDir: 'desc' })
        deepEqual(items[0], shop)
        const bound = await ask('BindInstances', { instance, workspace: { workspaceId: 2 }, action: 'BIND' })
        deepEqual(bound.workspace, shop)
        try {
          deepEqual((await ask('ListInstances', { instance })).items, [{ instance, workspace: shop }])
          const other = { instance, workspace: { workspace: 'platform' }, action: 'BIND' }
          equal(await refused('BindInstances', other), 400)
        } finally {
          await ask('BindInstances', { instance, workspace: shop, action: 'UNBIND' })
        }
        equal((await ask('ListInstances', { instance })).items[0].workspace.workspaceId, 0)
      },
    },
    {
      proves: ['ListNamespaceInstances', 'BindNamespaceInstances'],
      async run({ ask, instance, namespace, eventually }) {
        const action = { instance, namespace, workspace: shop }
        await ask('BindNamespaceInstances', { ...action, action: 'BIND' })
        await eventually(async () => {
          const { items } = await ask('ListNamespaceInstances', { instance, namespace })
          deepEqual(items, [{ instance, namespace, workspace: shop }])
        })
        ok(await ask('BindNamespaceInstances', { ...action, action: 'UNBIND' }))
        const { items } = await ask('ListNamespaceInstances', { instance, namespace })
        deepEqual(items[0].workspace.workspace, '')
      },
    },
  ],
}
