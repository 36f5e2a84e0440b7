/** So many instances that have answered may stand still at once, and so many that have not. */
export const STILL_AT_ONCE = 64
/** One that has answered and then stood still for so long is not counted any more, milliseconds: a first sync may take minutes. */
export const GIVEN_UP_MS = 10_000
/**
 * A control plane that has not answered for so long hangs, milliseconds; a first answer over a slow line takes a second. It is not given up:
 * its first probe decides that. The same time after which an answer is late.
 */
export const HANGS_MS = 2_000
/** Each that hangs makes room for so many others, so that any number of them has been begun after a few times `HANGS_MS`. */
export const ROOM_OF_ONE_THAT_HANGS = 4

/** One that stands still. */
interface Still {
  readonly answered: boolean
  /** Whether it has been silent for so long that it hangs. */
  hangs: boolean
  /** Fires when it hangs, or, where its control plane has answered, when it is given up. */
  readonly timer: NodeJS.Timeout
}

/**
 * The instances that come up and of which nothing was observed for a moment, in two groups, each with room for so many: those whose control
 * plane has answered, which wait for others to do their part, and the silent ones, whose has not.
 *
 * The room of the silent is bounded for the sake of a slow host of control planes, of which too many would be asked at once. Control planes that
 * hang would use it up, and all behind them would wait until their probes are given up, 64 at a time. So it is larger by those in it that hang. Once one answers
 * late, the host is slow: those that are here then make no room, and those that are begun later do.
 */
export class StandingStill {
  readonly #still = new Map<string, Still>()
  #answered = 0
  /** The silent ones that hang, without those that were here when a control plane answered late. */
  readonly #makingRoom = new Set<string>()
  /** The silent ones that were here when a control plane answered late: they are not taken for ones that hang. */
  #besideLate = new Set<string>()

  hasRoom(answered: boolean): boolean {
    if (answered) return this.#answered < STILL_AT_ONCE
    const silent = this.#still.size - this.#answered
    return silent < STILL_AT_ONCE + ROOM_OF_ONE_THAT_HANGS * this.#makingRoom.size
  }

  add(name: string, answered: boolean): void {
    const [act, afterMs] = answered
      ? ([() => this.delete(name), GIVEN_UP_MS] as const)
      : ([() => this.#hangs(name), HANGS_MS] as const)
    if (answered) this.#answered += 1
    this.#still.set(name, { answered, hangs: false, timer: setTimeout(act, afterMs).unref() })
  }

  /** The control plane of an instance has answered. Without effect unless it is one of the silent. */
  answered(name: string): void {
    const still = this.#still.get(name)
    if (still?.answered !== false) return
    this.delete(name)
    if (still.hangs) {
      this.#makingRoom.clear()
      this.#besideLate = new Set(this.#still.keys())
    }
    this.add(name, true)
  }

  /** It is up, has failed, or is gone. */
  delete(name: string): void {
    const still = this.#still.get(name)
    if (!still) return
    clearTimeout(still.timer)
    if (still.answered) this.#answered -= 1
    this.#still.delete(name)
    this.#makingRoom.delete(name)
    this.#besideLate.delete(name)
  }

  clear(): void {
    for (const name of [...this.#still.keys()]) this.delete(name)
  }

  #hangs(name: string): void {
    const still = this.#still.get(name)
    if (!still) return
    still.hangs = true
    if (!this.#besideLate.has(name)) this.#makingRoom.add(name)
  }
}
