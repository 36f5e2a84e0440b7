import type { HostActionReview } from '../../proto/gen/kairship/access_review_pb.js'

/** What somebody would do with Kairship's own resources on the host, as RBAC says it. */
export interface HostAction {
  readonly verb: string
  /** In the plural, with its subresource after a slash: `accesslocks`, `instances/kubeconfig`. */
  readonly resource: string
  /** Of the object, of a subresource that of its object; absent for what is of no one object. */
  readonly name?: string
}

/** Actions in one request; the server takes no more. */
const MOST_ACTIONS = 100

interface Waiting {
  readonly action: HostAction
  readonly resolve: (review: HostActionReview) => void
  readonly reject: (error: unknown) => void
}

/** Reviews of actions: those of one moment, such as of all buttons of a screen, are one request. */
export class HostReviews {
  #waiting: Waiting[] = []

  /** @param ask answers with one review for each action, in the same order */
  constructor(
    private readonly ask: (actions: readonly HostAction[]) => Promise<readonly HostActionReview[]>,
  ) {}

  /** @throws what the request throws */
  of(action: HostAction): Promise<HostActionReview> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ action, resolve, reject })
      // The first of a moment asks for all of it, and the others find none waiting.
      queueMicrotask(() => this.#askAll())
    })
  }

  #askAll(): void {
    const all = this.#waiting
    this.#waiting = []
    for (let from = 0; from < all.length; from += MOST_ACTIONS)
      void this.#askFor(all.slice(from, from + MOST_ACTIONS))
  }

  /** Never rejects: a failure is that of each action. */
  async #askFor(some: readonly Waiting[]): Promise<void> {
    try {
      const reviews = await this.ask(some.map(({ action }) => action))
      for (const [index, { resolve, reject }] of some.entries()) {
        const review = reviews[index]
        if (review) resolve(review)
        else reject(new Error(`the server reviewed ${reviews.length} of ${some.length} actions`))
      }
    } catch (error) {
      for (const { reject } of some) reject(error)
    }
  }
}
