import { inject } from 'vitest'
import { apiServerConformance } from '../../conformance/apiserver/suite.js'

/** The suite's truth: kube-apiserver itself. It must hold without exceptions. */
apiServerConformance(async () => {
  const { host, alice, etcd } = inject('stack')
  return {
    name: 'kube-apiserver',
    url: host.url,
    ca: host.ca,
    administrator: host,
    alice,
    ownConfigMap: 'kube-root-ca.crt',
    compact: () => compact(etcd),
    close: async () => undefined,
  }
})

/** Tells etcd to forget everything before its current revision. */
async function compact(etcd: string): Promise<void> {
  const call = async (path: string, body: unknown): Promise<{ header: { revision: string } }> => {
    const response = await fetch(`${etcd}/v3/kv/${path}`, { method: 'POST', body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`etcd ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as { header: { revision: string } }
  }
  const { header } = await call('range', { key: Buffer.from('/').toString('base64') })
  await call('compaction', { revision: header.revision, physical: true })
}
