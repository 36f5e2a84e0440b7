/** What can be done to a member of a running playground. */
export const chaosActions = ['cut', 'slow', 'break', 'drain', 'crash', 'heal'] as const
export type ChaosAction = (typeof chaosActions)[number]

/** What each of them does, for people. */
export const chaosMeanings: Readonly<Record<ChaosAction, string>> = {
  cut: 'its API server cannot be reached any more, as when its network fails',
  slow: 'its API server holds every answer back for two seconds',
  break: 'its API server answers every request with an internal error',
  drain: 'its nodes are cordoned and their pods evicted',
  crash: 'its first node stops; the pods there are replaced after five minutes',
  heal: 'everything done to it is undone',
}

/** Where a running playground listens for it, and what it asks for. */
export interface ChaosControl {
  /** `http://127.0.0.1:…` */
  readonly url: string
  /** Bearer token. */
  readonly token: string
}

/** A member, and what is being done to it. */
export interface ChaosState {
  readonly name: string
  readonly faults: readonly Exclude<ChaosAction, 'heal'>[]
}
