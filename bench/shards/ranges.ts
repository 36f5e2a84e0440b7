import { createHash } from 'node:crypto'

const FNV_OFFSET = 0xcbf29ce484222325n
const FNV_PRIME = 0x100000001b3n
const MASK = (1n << 64n) - 1n

/** FNV-1a with 64 bits, as Kubernetes hashes uids for sharded lists and watches (KEP-5866). */
export function fnv1a64(text: string): bigint {
  let hash = FNV_OFFSET
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * FNV_PRIME) & MASK
  return hash
}

/** Which of so many equal ranges of the hash an Instance is in. @param ranges a power of two */
export const rangeOf = (uid: string, ranges: number): number => Number((fnv1a64(uid) * BigInt(ranges)) >> 64n)

/** A replica that takes part, and how much it can carry compared with the others. */
export interface Peer {
  readonly name: string
  readonly weight: number
}

/**
 * Peers in the order in which they should hold a range: rendezvous hashing with weights, -ln(u) / w. A peer that comes or goes moves no
 * range between two others. SHA-256 gives `u`, because FNV's high bits hardly differ between names that differ in their last letter.
 */
export function inOrder(range: number, peers: readonly Peer[]): readonly Peer[] {
  const score = ({ name, weight }: Peer): number => {
    const u = (createHash('sha256').update(`${range}/${name}`).digest().readUInt32BE(0) + 1) / (2 ** 32 + 1)
    return -Math.log(u) / weight
  }
  return peers
    .map(peer => ({ peer, at: score(peer) }))
    .sort((a, b) => a.at - b.at)
    .map(({ peer }) => peer)
}
