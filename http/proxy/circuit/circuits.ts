import type { Sender, Upstream } from '../../../ports/kube-api.js'
import { Circuit, type CircuitChanged, type CircuitOptions } from './circuit.js'
import { GuardedSender, GuardedUpstream, type Parts } from './circuit-upstream.js'
import { answersAt } from './life-sign.js'

/** One could be a socket that was just closing. */
const BREAKS_OF_AN_INSTANCE = 5
/** The instance answers what its index does not, so the first break may decide. */
const BREAKS_OF_AN_INDEX = 1
/** Answered by a kube-apiserver itself, whatever becomes of its etcd and of the servers behind it. */
const LIVEZ = '/livez'

interface Guard<Guarded> {
  readonly behind: Sender
  readonly circuits: Map<string, Circuit>
  readonly upstream: Guarded
}

/**
 * The circuits of each instance and of its index, for as long as these are reached over the same connection: new credentials
 * or a new address start with a closed circuit.
 */
export class Circuits {
  readonly #instances = new Map<string, Guard<GuardedUpstream>>()
  readonly #indexes = new Map<string, Guard<GuardedSender>>()

  constructor(
    readonly now: () => number,
    /** @param server the instance's name, with the part of it where that has a circuit of its own */
    readonly changed: (server: string, ...change: Parameters<CircuitChanged>) => void,
  ) {}

  /** The instance's endpoint behind its circuit, and behind those of its aggregated APIs. */
  guard(instance: string, behind: Upstream): GuardedUpstream {
    return this.#guarded(this.#instances, instance, behind, circuits => {
      const server = 'the instance’s API server'
      const probe = () => answersAt(behind, LIVEZ)
      const circuit = this.#circuit(circuits, instance, {
        server,
        breaksToOpen: BREAKS_OF_AN_INSTANCE,
        probe,
      })
      const parts: Parts = {
        of: partOf,
        find: part => circuits.get(`${instance}${part}`),
        hung: part => {
          const called = `${instance}${part}`
          const options = { server: part, breaksToOpen: Number.POSITIVE_INFINITY }
          const ofPart =
            circuits.get(called) ??
            this.#circuit(circuits, called, { ...options, probe: () => answersAt(behind, part) })
          ofPart.hung(`${part} does not answer, although the instance’s API server does`)
        },
      }
      return new GuardedUpstream({
        behind,
        circuit,
        lifeSign: LIVEZ,
        slowIsNoBreak: true,
        parts,
        now: this.now,
      })
    })
  }

  /**
   * The index's endpoint behind its circuit.
   * @param lifeSign a path that it answers by looking into its database
   */
  guardIndex(instance: string, behind: Sender, lifeSign: string): GuardedSender {
    return this.#guarded(this.#indexes, instance, behind, circuits => {
      const probe = () => answersAt(behind, lifeSign)
      const options = { server: 'the index', breaksToOpen: BREAKS_OF_AN_INDEX, probe }
      const circuit = this.#circuit(circuits, `${instance} (index)`, options, to => {
        // Who waits is better answered by the instance.
        if (to === 'open') upstream.giveUp('the index does not answer')
      })
      const upstream = new GuardedSender({ behind, circuit, lifeSign, now: this.now })
      return upstream
    })
  }

  /** Forgets those of instances that are gone. */
  keepOnly(isThere: (instance: string) => boolean): void {
    for (const guards of [this.#instances, this.#indexes])
      for (const instance of guards.keys()) if (!isThere(instance)) this.#forget(guards, instance)
  }

  #guarded<Guarded>(
    guards: Map<string, Guard<Guarded>>,
    instance: string,
    behind: Sender,
    make: (circuits: Map<string, Circuit>) => Guarded,
  ): Guarded {
    const found = guards.get(instance)
    if (found?.behind === behind) return found.upstream
    this.#forget(guards, instance)
    const circuits = new Map<string, Circuit>()
    const upstream = make(circuits)
    guards.set(instance, { behind, circuits, upstream })
    return upstream
  }

  #circuit(
    circuits: Map<string, Circuit>,
    called: string,
    options: CircuitOptions,
    then: (to: Parameters<CircuitChanged>[1]) => void = () => undefined,
  ): Circuit {
    const circuit = new Circuit(
      this.now,
      (from, to) => {
        if (circuits.get(called) === circuit) this.changed(called, from, to)
        then(to)
      },
      options,
    )
    circuits.set(called, circuit)
    return circuit
  }

  /** A circuit that is no more refuses nothing. */
  #forget(guards: Map<string, Guard<unknown>>, instance: string): void {
    const circuits = guards.get(instance)?.circuits ?? new Map<string, Circuit>()
    guards.delete(instance)
    const open = [...circuits].map(([called, { state }]) => [called, state] as const)
    circuits.clear()
    for (const [called, state] of open) if (state !== 'closed') this.changed(called, state, 'closed')
  }
}

/** The discovery of a group, which an aggregated API answers itself; the core group is the API server's own. */
const partOf = (path: string): string | undefined => /^\/apis\/[^/?]+\/[^/?]+/.exec(path)?.[0]
