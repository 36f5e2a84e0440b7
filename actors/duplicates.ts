import type { Elder } from '../machines/facts.js'
import type { Instance } from '../manifests/instance.js'

/** What an instance says is its own. */
export interface Claim {
  readonly instance: Instance
  /** Absent until its credentials were read. */
  readonly endpoint?: string | undefined
  /** Absent until its control plane was reached, now or by an earlier process. */
  readonly controlPlaneID?: string | undefined
}

/** Who was there first: the older CR, and of two of the same second the one whose name sorts first. */
export const isElder = (a: Instance, b: Instance): boolean => {
  const [first, second] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '']
  return first === second ? a.metadata.name < b.metadata.name : first < second
}

/**
 * Finds instances that share an endpoint or a control plane, in constant time for each change however large the fleet.
 * The elder keeps it; each of the others is told who that is, and told again when that changes.
 */
export class Duplicates {
  readonly #claims = new Map<string, Claim>()
  readonly #byEndpoint = new Map<string, Set<string>>()
  readonly #byControlPlane = new Map<string, Set<string>>()

  constructor(private readonly tell: (name: string, elder: Elder | undefined) => void) {}

  /** An instance claims something, or something else than before. Tells whoever is concerned, the claimant always. */
  claim(claim: Claim): void {
    const { name } = claim.instance.metadata
    const before = this.#claims.get(name)
    if (before) this.#unlink(before)
    this.#claims.set(name, claim)
    this.#link(claim)
    this.#tellAll([name, ...this.#neighbours(before), ...this.#neighbours(claim)])
  }

  /** An instance is gone; whoever waited for it is told. */
  withdraw(name: string): void {
    const before = this.#claims.get(name)
    if (!before) return
    this.#unlink(before)
    this.#claims.delete(name)
    this.#tellAll(this.#neighbours(before))
  }

  #tellAll(names: readonly string[]): void {
    for (const name of new Set(names)) if (this.#claims.has(name)) this.tell(name, this.#elderOf(name))
  }

  #elderOf(name: string): Elder | undefined {
    const claim = this.#claims.get(name)
    if (!claim) return undefined
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
