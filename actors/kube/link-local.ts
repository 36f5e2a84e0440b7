import { lookup as resolve } from 'node:dns'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'
import { KubeconfigError } from '../../ports/kube-api.js'

/**
 * Addresses that mean this machine's own network or its cloud's metadata service, which gives every client the credentials of the
 * machine: link-local ones (RFC 3927, RFC 4291), those of Amazon over IPv6 (of machines and of pods), of Alibaba Cloud, of Azure
 * (168.63.129.16) and of Oracle Cloud (192.0.0.192), and the same as NAT64 has them (RFC 6052).
 */
const REFUSED = new BlockList()
REFUSED.addSubnet('169.254.0.0', 16, 'ipv4')
REFUSED.addSubnet('fe80::', 10, 'ipv6')
REFUSED.addAddress('fd00:ec2::254', 'ipv6')
REFUSED.addAddress('fd00:ec2::23', 'ipv6')
REFUSED.addSubnet('64:ff9b::169.254.0.0', 112, 'ipv6')
for (const address of ['100.100.100.200', '168.63.129.16', '192.0.0.192']) {
  REFUSED.addAddress(address, 'ipv4')
  REFUSED.addAddress(`64:ff9b::${address}`, 'ipv6')
}

const isRefused = (address: string): boolean => REFUSED.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

/** @throws KubeconfigError for a server that is named by such an address */
export function refuseLinkLocal(server: string): void {
  const host = new URL(server).hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) && isRefused(host))
    throw new KubeconfigError(
      'kubeconfig: server is a link-local or metadata address, where no control plane is',
    )
}

/** Looks a name up as Node does, and refuses one that leads to such an address: names change after a kubeconfig was read. */
export const lookupElsewhere: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, options, (error, address, family) => {
    const found = Array.isArray(address) ? address.map(one => one.address) : [address]
    if (error || !found.some(isRefused)) callback(error, address, family)
    else callback(refusal(hostname), [])
  })
}

const refusal = (hostname: string): NodeJS.ErrnoException =>
  Object.assign(
    new Error(`${hostname} leads to a link-local or metadata address, where no control plane is`),
    {
      code: 'EADDRNOTAVAIL',
    },
  )
