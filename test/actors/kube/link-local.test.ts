import { describe, expect, it, vi } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { lookupElsewhere, refuseLinkLocal } from '../../../actors/kube/link-local.js'
import { kubeconfig } from './a-kubeconfig.js'

/** Names as a resolver that others control answers them. */
const addresses: Record<string, { address: string; family: number }[] | Error> = {}
vi.mock('node:dns', async original => {
  const dns = await original<typeof import('node:dns')>()
  const lookup = (host: string, options: object, callback: (...of: unknown[]) => void) =>
    host in addresses
      ? callback(...(addresses[host] instanceof Error ? [addresses[host]] : [null, addresses[host]]))
      : dns.lookup(host, options as never, callback as never)
  return { ...dns, default: { ...dns, lookup }, lookup }
})

describe('a kubeconfig out of a Secret', () => {
  it.each([
    'http://169.254.169.254',
    'http://169.254.255.255',
    'http://[febf::1]',
    'http://[64:ff9b::169.254.255.255]',
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

describe('an address', () => {
  it.each(['169.253.255.255', '169.255.0.0', '[fe7f::1]', '[fec0::1]', '[64:ff9b::169.255.0.0]'])(
    'just outside of those that are refused may be a server: %s',
    host => expect(() => refuseLinkLocal(`https://${host}:6443`)).not.toThrow(),
  )
})

describe('the lookup of a name', () => {
  const lookUp = (name: string) =>
    new Promise<unknown[]>(resolve => lookupElsewhere(name, {}, (...found) => resolve(found)))

  it('refuses also a single address', async () => {
    const [error] = await lookUp('169.254.169.254')
    expect(error).toMatchObject({ code: 'EADDRNOTAVAIL' })
    expect(await lookUp('127.0.0.1')).toEqual([null, '127.0.0.1', 4])
  })

  it('passes on why a name was not found', async () => {
    const reason = new Error('getaddrinfo ENOTFOUND')
    addresses['nowhere.test'] = reason
    expect((await lookUp('nowhere.test'))[0]).toBe(reason)
  })
})
