import type { HostActionReview } from '../../proto/gen/kairship/access_review_pb.js'

/** An action on Kairship's own resources on the host, in RBAC's terms. */
export interface HostAction {
  readonly verb: string
  /** Plural, with the subresource after a slash: `accesslocks`, `instances/kubeconfig`. */
  readonly resource: string
  /** The object's name, also for a subresource; absent for an action on no single object. */
  readonly name?: string
}

/** The largest number of actions in one request; the server refuses more. */
const MOST_ACTIONS = 100

interface PendingReview {
  readonly action: HostAction
  readonly resolve: (review: HostActionReview) => void
  readonly reject: (error: unknown) => void
}

/** Reviews of actions. Actions of one microtask, such as all buttons of a screen, are sent in one request. */
export class HostReviews {
  #pending: PendingReview[] = []

  /** @param request must answer with one review for each action, in the same order */
  constructor(
    private readonly request: (actions: readonly HostAction[]) => Promise<readonly HostActionReview[]>,
  ) {}

  /** @throws the error of the request */
  of(action: HostAction): Promise<HostActionReview> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ action, resolve, reject })
      // The first call sends all actions; the later ones find none left.
      queueMicrotask(() => this.#sendAll())
    })
  }

  #sendAll(): void {
    const pending = this.#pending
    this.#pending = []
    for (let from = 0; from < pending.length; from += MOST_ACTIONS)
      void this.#send(pending.slice(from, from + MOST_ACTIONS))
  }

  /** Never rejects: a failure rejects each action's promise. */
  async #send(batch: readonly PendingReview[]): Promise<void> {
    try {
      const reviews = await this.request(batch.map(({ action }) => action))
      for (const [index, { resolve, reject }] of batch.entries()) {
        const review = reviews[index]
        if (review) resolve(review)
        else reject(new Error(`the server reviewed ${reviews.length} of ${batch.length} actions`))
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}
