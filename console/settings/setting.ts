/** A component of Karmada that is on or off, with its times in seconds by field; 0 is Karmada's default. */
export interface Setting {
  readonly enabled: boolean
  readonly times: Readonly<Record<string, number>>
}

/** One field that saving would change. */
export interface SettingChange {
  readonly field: string
  readonly from: boolean | number
  readonly to: boolean | number
}

/** What saving would change. */
export const changesOf = (before: Setting, after: Setting): readonly SettingChange[] => [
  ...(before.enabled === after.enabled
    ? []
    : [{ field: 'enabled', from: before.enabled, to: after.enabled }]),
  ...[...new Set([...Object.keys(before.times), ...Object.keys(after.times)])]
    .map(field => ({ field, from: before.times[field] ?? 0, to: after.times[field] ?? 0 }))
    .filter(({ from, to }) => from !== to),
]

/** The numbers of a message's times. They are seconds, far below what a number holds exactly. */
export const timesOf = (message: object | undefined): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(message ?? {}).flatMap(([field, value]) =>
      typeof value === 'bigint' ? [[field, Number(value)]] : [],
    ),
  )

/** The times as a message takes them. */
export const messageOf = (times: Readonly<Record<string, number>>): Record<string, bigint> =>
  Object.fromEntries(Object.entries(times).map(([field, seconds]) => [field, BigInt(seconds)]))
