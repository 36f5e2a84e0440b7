import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Answer, Scenario } from '../../scenario.js'
import { namesOf, wholeOf } from '../object-stories.js'

const manifest = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

/** Scenarios of Namespaces. */
export const namespaces: readonly Scenario[] = [
  {
    proves: [
      ...['CreateNamespace', 'GetNamespace', 'GetNamespaceJSON', 'UpdateNamespace', 'PatchNamespace'],
      ...['DeleteNamespace', 'ListNamespaces'],
    ],
    async run({ ask, eventually, karmada, refused, unique }) {
      const name = `${unique}-made`
      try {
        const { namespace } = await ask('CreateNamespace', { data: JSON.stringify(manifest(name)) })
        equal(namespace.metadata.name, name)
        const shown = await ask('GetNamespace', { name })
        equal(shown.namespace.metadata.uid, namespace.metadata.uid)

        const whole = wholeOf(await ask('GetNamespaceJSON', { name }))
        const labels = { ...whole.metadata.labels, team: 'blue' }
        const data = JSON.stringify({ ...whole, metadata: { ...whole.metadata, labels } })
        equal(wholeOf(await ask('UpdateNamespace', { name, data })).metadata.labels.team, 'blue')
        const patch = JSON.stringify({ metadata: { annotations: { note: 'kept' } } })
        const { metadata } = wholeOf(await ask('PatchNamespace', { name, data: patch }))
        deepEqual([metadata.labels.team, metadata.annotations.note], ['blue', 'kept'])

        const listed = await ask('ListNamespaces', { name, page: 1, pageSize: 5 })
        deepEqual([namesOf(listed), listed.pagination.total], [[name], 1])
        equal(listed.items[0].system, false)

        deepEqual(await ask('DeleteNamespace', { name }), {})
        await eventually(async () => equal(await refused('GetNamespace', { name }), 404))
      } finally {
        await karmada('DELETE', `/api/v1/namespaces/${name}`).catch(() => undefined)
      }
    },
  },
  {
    proves: ['ListNamespaceSummary', 'ListMemberClusterNamespaceSummary'],
    async run({ ask, eventually, instance, member, namespace }) {
      const named = (wanted: string) => (summary: Answer) => summary.name === wanted
      await eventually(async () => {
        const { data, accessScope } = await ask('ListNamespaceSummary')
        equal(accessScope, 'Instance')
        deepEqual(
          [data.find(named(namespace)), data.find(named('kube-system')).system],
          [{ name: namespace, instance, system: false }, true],
        )
      })
      const { data } = await ask('ListMemberClusterNamespaceSummary')
      ok(data.some(named(namespace)))
      ok(data.every((summary: Answer) => summary.cluster === member && summary.instance === instance))
    },
  },
]
