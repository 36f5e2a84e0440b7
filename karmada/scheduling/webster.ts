import { fnv32a } from '../../manifests/hash.js'
import type { TargetCluster } from '../objects/binding.js'

/** A cluster's part in a division: its weight, and what it has so far. */
interface Party {
  readonly name: string
  readonly votes: number
  seats: number
}

/**
 * Divides replicas by weight with Webster's method (`helper.AllocateWebsterSeats` of Karmada): one replica after the other
 * goes to the cluster with the most votes per 2 × replicas + 1.
 * @param weights non-negative; when all are zero nothing is divided and `initial` is the result
 * @param initial replicas that clusters have already; they are kept and counted
 * @param uid of the template: breaks ties, so that not all small templates gather in the same cluster
 * @returns by name; clusters without replicas included
 */
export function divideByWeight(
  replicas: number,
  weights: ReadonlyMap<string, number>,
  initial: readonly TargetCluster[],
  uid: string | undefined,
): readonly Required<TargetCluster>[] {
  const seats = new Map(initial.map(({ name, replicas = 0 }) => [name, replicas]))
  const isVoid = [...weights.values()].every(votes => votes === 0) || (replicas === 0 && initial.length > 0)
  const names = isVoid ? [...seats.keys()] : [...new Set([...seats.keys(), ...weights.keys()])]
  const parties = names.map(
    (name): Party => ({ name, votes: weights.get(name) ?? 0, seats: seats.get(name) ?? 0 }),
  )
  if (!isVoid) give(replicas, parties, precedence(uid))
  return parties
    .map(({ name, seats }) => ({ name, replicas: seats }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Negative when the first party goes first. */
type Precedence = (a: Party, b: Party) => number

/** More votes per seat, then fewer seats, then the name: upwards, or downwards where the uid's hash is odd. */
function precedence(uid: string | undefined): Precedence {
  const downwards = uid ? (fnv32a(uid) & 1) === 1 : false
  return (a, b) => {
    const difference = b.votes / (2 * b.seats + 1) - a.votes / (2 * a.seats + 1)
    if (difference !== 0) return difference
    if (a.seats !== b.seats) return a.seats - b.seats
    return a.name < b.name === downwards ? 1 : -1
  }
}

/**
 * Gives replicas one by one, but for those that parties get anyway. A heap, because thousands of replicas over hundreds of clusters are
 * divided for each template.
 */
function give(replicas: number, parties: readonly Party[], before: Precedence): void {
  const given = giveCertain(replicas, parties)
  const heap = [...parties].sort(before)
  for (let left = replicas - given; left > 0; left--) {
    const [first] = heap
    if (!first) return
    first.seats++
    sink(heap, before)
  }
}

/**
 * Gives most of the replicas at once, so that two thousand million take no longer than a few. A party whose next replica has at least a
 * certain part of all votes per 2 × replicas + 1 gets it before all that have less, in whatever order. With that part for
 * as many replicas as there are, less one for each party, no more are given than there are; one less for each keeps away from
 * where rounding decides.
 * @returns how many were given
 */
function giveCertain(replicas: number, all: readonly Party[]): number {
  // While these get replicas, those without votes do not.
  const parties = all.filter(({ votes }) => votes > 0)
  const votes = parties.reduce((sum, party) => sum + party.votes, 0)
  const shared = replicas - parties.length
  if (shared <= parties.length || parties.length === 0 || all.some(({ seats }) => seats > 0)) return 0
  let given = 0
  for (const party of parties) {
    party.seats = Math.max(0, Math.floor((party.votes / votes) * shared + 0.5) - 1)
    given += party.seats
  }
  return given
}

/** Puts the first element, which has lost precedence, back in its place. */
function sink(heap: Party[], before: Precedence): void {
  const moved = heap[0] as Party
  let hole = 0
  for (;;) {
    const left = 2 * hole + 1
    const right = left + 1
    const [a, b] = [heap[left], heap[right]]
    if (!a) break
    const [next, child] = b && before(b, a) < 0 ? [right, b] : [left, a]
    if (before(moved, child) < 0) break
    heap[hole] = child
    hole = next
  }
  heap[hole] = moved
}
