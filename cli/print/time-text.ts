/** A time as Kubernetes writes it: RFC 3339 in UTC, in whole seconds. @param at milliseconds since 1970 */
export const timeText = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
