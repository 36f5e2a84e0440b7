import type { Elder } from '../machines/facts.js'
import type { Instance } from '../manifests/instance.js'

/** What an instance says is its own. */
export interface Claim {
  readonly instance: Instance
  /** Absent until its credentials were read. */
  readonly endpoint?: string | undefined
  /** Absent until its control plane was reached, now or by an earlier process. */
  readonly controlPlaneID?: string | undefined
  /** Its control plane is known, or was asked for in vain: nothing is about to come out that younger ones must wait for. */
  readonly settled: boolean
}

/** Who was there first: the older CR, and of two of the same second the one whose name sorts first. */
export const isElder = (a: Instance, b: Instance): boolean => {
  const [first, second] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '']
  return first === second ? a.metadata.name < b.metadata.name : first < second
}

/**
 * Finds instances that share an endpoint or a control plane. The elder keeps it; each of the others is told who that is,
 * and told again when that changes.
 *
 * Of two that are made at the same moment either may be reached first, under whatever address. So an instance is told that
 * it has no elder only when its own control plane is known and every older one has settled: until then it is told
 * nothing, and makes nothing outside. That waits for a first answer, or for the first probe of an older one to fail, and
 * happens once in the life of an instance.
 *
 * A change costs constant time however large the fleet, except when the eldest unsettled one settles: then all who
 * may have waited for it are looked at.
 */
export class Duplicates {
  readonly #claims = new Map<string, Claim>()
  readonly #byEndpoint = new Map<string, Set<string>>()
  readonly #byControlPlane = new Map<string, Set<string>>()
  readonly #unsettled = new Map<string, Instance>()
  /** Who was not told yet that it has no elder, because an older one has not settled. */
  readonly #waiting = new Set<string>()
  /** Who was last told that it has an elder. */
  readonly #younger = new Set<string>()
  #eldestUnsettled: Instance | undefined

  /** @param tell told the elder; 'alone' where there is none; 'undecided' when the elder is gone and nothing else is known */
  constructor(private readonly tell: (name: string, verdict: Elder | 'alone' | 'undecided') => void) {}

  /** An instance claims something, or something else than before. Tells whoever is concerned, the claimant always. */
  claim(claim: Claim): void {
    const { name } = claim.instance.metadata
    const before = this.#claims.get(name)
    if (before) this.#unlink(before)
    this.#claims.set(name, claim)
    this.#link(claim)
    // Who settled once stays so: what it loses later, nobody waits for again.
    const settled = claim.settled || (before !== undefined && !this.#unsettled.has(name))
    const freed = this.#settle(claim.instance, settled)
    this.#tellAll([name, ...this.#neighbours(before), ...this.#neighbours(claim), ...freed])
  }

  /** An instance is gone; whoever waited for it is told. */
  withdraw(name: string): void {
    const before = this.#claims.get(name)
    if (!before) return
    this.#unlink(before)
    this.#claims.delete(name)
    this.#waiting.delete(name)
    this.#younger.delete(name)
    const freed = this.#settle(before.instance, true)
    this.#tellAll([...this.#neighbours(before), ...freed])
  }

  /** Notes whether an instance has settled. @returns the names of those who need not wait for it any more */
  #settle(instance: Instance, settled: boolean): readonly string[] {
    const { name } = instance.metadata
    if (!settled) {
      this.#unsettled.set(name, instance)
      if (!this.#eldestUnsettled || isElder(instance, this.#eldestUnsettled)) this.#eldestUnsettled = instance
      return []
    }
    if (!this.#unsettled.delete(name) || this.#eldestUnsettled?.metadata.name !== name) return []
    this.#eldestUnsettled = [...this.#unsettled.values()].reduce<Instance | undefined>(
      (eldest, other) => (eldest && isElder(eldest, other) ? eldest : other),
      undefined,
    )
    return [...this.#waiting]
  }

  /** Whether an older instance may yet turn out to have the same control plane. */
  #mayHaveElder({ instance, controlPlaneID }: Claim): boolean {
    if (controlPlaneID === undefined) return true
    return this.#eldestUnsettled !== undefined && isElder(this.#eldestUnsettled, instance)
  }

  #tellAll(names: readonly string[]): void {
    for (const name of new Set(names)) {
      const claim = this.#claims.get(name)
      if (!claim) continue
      const elder = this.#elderOf(claim)
      const open = !elder && this.#mayHaveElder(claim)
      const hadElder = this.#younger.delete(name)
      this.#waiting.delete(name)
      if (open) this.#waiting.add(name)
      if (elder) this.#younger.add(name)
      if (!open) this.tell(name, elder ?? 'alone')
      else if (hadElder) this.tell(name, 'undecided')
    }
  }

  #elderOf(claim: Claim): Elder | undefined {
    const eldest = (names: ReadonlySet<string> | undefined): string | undefined =>
      [...(names ?? [])]
        .map(other => this.#claims.get(other)?.instance)
        .filter(other => other !== undefined && isElder(other, claim.instance))
        .sort((a, b) => (a && b && isElder(a, b) ? -1 : 1))[0]?.metadata.name
    const same = eldest(this.#byControlPlane.get(claim.controlPlaneID ?? ''))
    if (same !== undefined) return { name: same, shares: 'control plane' }
    const near = eldest(this.#byEndpoint.get(claim.endpoint ?? ''))
    return near === undefined ? undefined : { name: near, shares: 'endpoint' }
  }

  #neighbours(claim: Claim | undefined): string[] {
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
