import type { FirstInstance } from '../../machines/instance/facts.js'
import type { Instance } from '../../manifests/instance.js'
import type { Claim } from './claim.js'
import { isFirstClaim, OldestClaims } from './oldest-claims.js'

/**
 * Finds instances that share an endpoint or a control plane. The first Instance that manages it keeps it; each of the others
 * is a duplicate and gets the name of the first, and again when that changes.
 *
 * Of two that are created at the same moment either may be reached first, under whatever address. So an instance is reported
 * to be alone only when its own control plane is known and every older instance has settled: until then nothing is reported,
 * and it creates nothing outside. That waits for a first answer, or for the first probe of an older instance to fail, and
 * happens once in the life of an instance.
 *
 * A change costs logarithmic time however large the fleet, except when the oldest unsettled instance settles: then those that
 * wait for it and know their own control plane are compared, which are some of those that come up at the moment.
 */
export class Duplicates {
  readonly #claims = new Map<string, Claim>()
  readonly #byEndpoint = new Map<string, Set<string>>()
  readonly #byControlPlane = new Map<string, Set<string>>()
  readonly #unsettled = new OldestClaims()
  /** Instances whose own control plane is known, and that were not reported to be alone yet, because an older one has not settled. */
  readonly #waiting = new Set<string>()
  /** Instances that were last reported as duplicates. */
  readonly #reported = new Set<string>()

  /** @param report called with the first instance; 'alone' where there is none; 'undecided' when the first is gone and nothing else is known */
  constructor(
    private readonly report: (name: string, verdict: FirstInstance | 'alone' | 'undecided') => void,
  ) {}

  /** An instance claims something, or something else than before. Reports to every instance concerned, the claimant always. */
  claim(claim: Claim): void {
    const { name } = claim.instance.metadata
    const before = this.#claims.get(name)
    if (before) this.#unlink(before)
    this.#claims.set(name, claim)
    this.#link(claim)
    // An instance that settled once stays settled: when it loses its control plane later, no other waits for it again.
    const settled = claim.settled || (before !== undefined && !this.#unsettled.has(name))
    const freed = this.#settle(claim.instance, settled)
    this.#reportAll([name, ...this.#sharing(before), ...this.#sharing(claim), ...freed])
  }

  /** An instance is gone; the instances that waited for it get a report. */
  withdraw(name: string): void {
    const before = this.#claims.get(name)
    if (!before) return
    this.#unlink(before)
    this.#claims.delete(name)
    this.#waiting.delete(name)
    this.#reported.delete(name)
    const freed = this.#settle(before.instance, true)
    this.#reportAll([...this.#sharing(before), ...freed])
  }

  /** Records whether an instance has settled. @returns the names of instances that need not wait for it any more */
  #settle(instance: Instance, settled: boolean): readonly string[] {
    const { name } = instance.metadata
    if (!settled) {
      this.#unsettled.set(instance)
      return []
    }
    const isOldest = this.#unsettled.oldest?.metadata.name === name
    return this.#unsettled.delete(name) && isOldest ? [...this.#waiting] : []
  }

  /** Whether an older instance may yet turn out to have the same control plane. */
  #mayBeDuplicate({ instance, controlPlaneID }: Claim): boolean {
    if (controlPlaneID === undefined) return true
    const { oldest } = this.#unsettled
    return oldest !== undefined && isFirstClaim(oldest, instance)
  }

  #reportAll(names: readonly string[]): void {
    for (const name of new Set(names)) {
      const claim = this.#claims.get(name)
      if (!claim) continue
      const first = this.#firstOf(claim)
      const open = !first && this.#mayBeDuplicate(claim)
      const wasDuplicate = this.#reported.delete(name)
      this.#waiting.delete(name)
      // One that does not know its own control plane is compared when it does.
      if (open && claim.controlPlaneID !== undefined) this.#waiting.add(name)
      if (first) this.#reported.add(name)
      if (!open) this.report(name, first ?? 'alone')
      else if (wasDuplicate) this.report(name, 'undecided')
    }
  }

  #firstOf(claim: Claim): FirstInstance | undefined {
    const firstOf = (names: ReadonlySet<string> | undefined): string | undefined =>
      [...(names ?? [])]
        .map(other => this.#claims.get(other)?.instance)
        .filter(other => other !== undefined && isFirstClaim(other, claim.instance))
        .sort((a, b) => (a && b && isFirstClaim(a, b) ? -1 : 1))[0]?.metadata.name
    const same = firstOf(this.#byControlPlane.get(claim.controlPlaneID ?? ''))
    if (same !== undefined) return { name: same, shares: 'control plane' }
    const near = firstOf(this.#byEndpoint.get(claim.endpoint ?? ''))
    return near === undefined ? undefined : { name: near, shares: 'endpoint' }
  }

  #sharing(claim: Claim | undefined): string[] {
    return [
      ...(this.#byEndpoint.get(claim?.endpoint ?? '') ?? []),
      ...(this.#byControlPlane.get(claim?.controlPlaneID ?? '') ?? []),
    ]
  }

  #link({ instance, endpoint, controlPlaneID }: Claim): void {
    const { name } = instance.metadata
    if (endpoint) add(this.#byEndpoint, endpoint, name)
    if (controlPlaneID) add(this.#byControlPlane, controlPlaneID, name)
  }

  #unlink({ instance, endpoint, controlPlaneID }: Claim): void {
    const { name } = instance.metadata
    if (endpoint) drop(this.#byEndpoint, endpoint, name)
    if (controlPlaneID) drop(this.#byControlPlane, controlPlaneID, name)
  }
}

function add(index: Map<string, Set<string>>, key: string, name: string): void {
  const names = index.get(key) ?? new Set()
  index.set(key, names.add(name))
}

function drop(index: Map<string, Set<string>>, key: string, name: string): void {
  const names = index.get(key)
  names?.delete(name)
  if (names?.size === 0) index.delete(key)
}
