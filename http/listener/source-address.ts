import { isIPv6 } from 'node:net'

/** Whom an address is counted as: itself; of IPv6 its network of 64 bits, since one machine commonly has all addresses of it. */
export const sourceOf = (address: string): string =>
  isIPv6(address) && !address.startsWith('::ffff:') ? `${networkOf(address)}::/64` : address

/** The first four groups. `::` stands for as many groups of zeros as are missing, and can be anywhere. */
function networkOf(address: string): string {
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'))
  const [before = '', after = ''] = address.split('::')
  // The last two groups may be written as an IPv4 address.
  const written = groupsOf(before).length + groupsOf(after).length + (address.includes('.') ? 1 : 0)
  const zeros = address.includes('::') ? Array.from({ length: 8 - written }, () => '0') : []
  return [...groupsOf(before), ...zeros, ...groupsOf(after)].slice(0, 4).join(':')
}
