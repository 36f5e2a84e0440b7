/** A component of Karmada: whether it is on, and its durations in seconds by field; 0 is Karmada's default. */
export interface Setting {
  readonly enabled: boolean
  readonly times: Readonly<Record<string, number>>
}

/** One change that saving would make. */
export interface SettingChange {
  readonly field: string
  readonly from: boolean | number
  readonly to: boolean | number
}

/** The changes that saving would make. */
export const changesOf = (before: Setting, after: Setting): readonly SettingChange[] => [
  ...(before.enabled === after.enabled
    ? []
    : [{ field: 'enabled', from: before.enabled, to: after.enabled }]),
  ...[...new Set([...Object.keys(before.times), ...Object.keys(after.times)])]
    .map(field => ({ field, from: before.times[field] ?? 0, to: after.times[field] ?? 0 }))
    .filter(({ from, to }) => from !== to),
]

/** The durations of a message. They are seconds, far below the largest exact number. */
export const timesOf = (message: object | undefined): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(message ?? {}).flatMap(([field, value]) =>
      typeof value === 'bigint' ? [[field, Number(value)]] : [],
    ),
  )

/** The durations in a message's types. */
export const messageOf = (times: Readonly<Record<string, number>>): Record<string, bigint> =>
  Object.fromEntries(Object.entries(times).map(([field, seconds]) => [field, BigInt(seconds)]))
