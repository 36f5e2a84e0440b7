/** RFC 3339 in whole seconds, as Kubernetes writes times. @param milliseconds since the epoch */
export const timestamp = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 19)}Z`
