import type { FakeFleet } from './fake-fleet.js'

/** A list over the fleet as its handler answers it. */
export type Answer = Awaited<ReturnType<FakeFleet['list']>>

/** Where each item is from, and its name: `i.m/web`. */
export const names = ({ items = [] }: Answer) =>
  items.map(
    ({ instance, cluster, metadata }) => `${instance}${cluster ? `.${cluster}` : ''}/${metadata?.name}`,
  )

/** What each place has: how many, or the code and the reason of its refusal. */
export const places = (answer: Answer) =>
  (answer.places ?? []).map(({ instance, cluster, total, error }) => [
    `${instance}${cluster ? `.${cluster}` : ''}`,
    error ? `${error.code} ${error.reason}`.trim() : total,
  ])
