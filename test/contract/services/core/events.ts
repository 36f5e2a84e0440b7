import { deepEqual, ok } from 'node:assert/strict'
import type { Answer, Scenario } from '../../scenario.js'

const event = (name: string, kind: string, namespace: string, type: string, minute: number) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name, namespace },
  involvedObject: { kind, name: 'web', namespace },
  reason: 'Tested',
  message: name,
  source: { component: 'test' },
  type,
  firstTimestamp: '2026-11-20T10:00:00Z',
  lastTimestamp: `2026-11-20T10:0${minute}:00Z`,
})
const messagesOf = ({ items }: { items: { message: string }[] }) => items.map(({ message }) => message)

/** Scenarios of events. */
export const events: readonly Scenario[] = [
  {
    proves: ['ListEvents', 'ListInstanceEvents', 'ListInstanceEventKinds'],
    async run({ ask, eventually, karmada, namespace, unique }) {
      const kind = `Kind-${unique}`
      const path = `/api/v1/namespaces/${namespace}/events`
      await karmada('POST', path, event('first', kind, namespace, 'Normal', 1))
      await karmada('POST', path, event('second', kind, namespace, 'Warning', 2))
      const there = await ask('ListEvents', { kind, kindName: 'web' })
      deepEqual(messagesOf(there), ['second', 'first'])
      deepEqual(there.items[0].lastTimestamp, String(Date.parse('2026-11-20T10:02:00Z')))
      const everywhere = await ask('ListInstanceEvents', { kind, name: 'web', type: ['Normal'] })
      deepEqual([messagesOf(everywhere), everywhere.pagination.total], [['first'], 1])
      await eventually(async () => {
        const { data }: Answer = await ask('ListInstanceEventKinds')
        ok(data.includes(kind))
      })
    },
  },
]
