import { describe, expect, it, vi } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { kubeconfig } from './a-kubeconfig.js'

/** Names as a resolver that others control answers them. */
const addresses: Record<string, { address: string; family: number }[]> = {}
vi.mock('node:dns', async original => {
  const dns = await original<typeof import('node:dns')>()
  const lookup = (host: string, options: object, callback: (...of: unknown[]) => void) =>
    host in addresses
      ? callback(null, addresses[host])
      : dns.lookup(host, options as never, callback as never)
  return { ...dns, default: { ...dns, lookup }, lookup }
})

describe('a kubeconfig out of a Secret', () => {
  it.each([
    'http://169.254.169.254',
    'https://169.254.0.1:6443/base',
    'http://2852039166',
    'http://0xA9.0xFE.0xA9.0xFE',
    'http://[fe80::1]',
    'http://[::ffff:169.254.169.254]',
    'http://[fd00:ec2::254]',
    'http://100.100.100.200',
    'http://168.63.129.16',
    'http://192.0.0.192',
    'http://[fd00:ec2::23]',
    'http://[64:ff9b::a9fe:a9fe]',
    'http://[64:ff9b::168.63.129.16]',
    'http://[64:ff9b::6464:64c8]',
  ])('that leads to %s is refused before anything is sent', async server => {
    await expect(kubeConnector().connect(kubeconfig({ server }))).rejects.toThrow(
      'kubeconfig: server is a link-local or metadata address, where no control plane is',
    )
  })

  it.each(['http', 'https'])('whose name leads there is refused when it connects over %s', async scheme => {
    addresses['metadata.test'] = [
      { address: '192.0.2.1', family: 4 },
      { address: '169.254.169.254', family: 4 },
    ]
    const api = await kubeConnector().connect(kubeconfig({ server: `${scheme}://metadata.test` }))
    try {
      await expect(api.request({ method: 'GET', path: '/latest' })).rejects.toThrow(
        'GET /latest: metadata.test leads to a link-local or metadata address, where no control plane is',
      )
      const failed = await new Promise<Error>(resolve =>
        api.upstream?.send(
          { method: 'GET', path: '/latest', headers: [], long: false, headTimeoutMs: 60_000 },
          { head: () => undefined, data: () => true, end: () => undefined, failed: resolve },
        ),
      )
      expect(failed.message).toContain('leads to a link-local or metadata address')
    } finally {
      await api.close()
    }
  })

  it.each(['http://127.0.0.1:1', 'http://localhost:1', 'http://[::ffff:127.0.0.1]:1'])(
    'may lead to %s, as in a playground',
    async server => {
      const api = await kubeConnector().connect(kubeconfig({ server }))
      await expect(api.request({ method: 'GET', path: '/' })).rejects.toThrow('ECONNREFUSED')
      await api.close()
    },
  )
})
