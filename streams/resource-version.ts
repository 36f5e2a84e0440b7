const DECIMAL = /^(0|[1-9][0-9]*)$/

/**
 * Whether resource version `a` is at or before `b`. Kubernetes defines them as comparable decimal numbers of any size
 * (KEP-5504); other servers' (a federated watch's composite ones) are opaque, and of those nothing can be said: false.
 */
export function isAtOrBefore(a: string, b: string): boolean {
  if (a === b) return true
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return false
  return a.length === b.length ? a < b : a.length < b.length
}
