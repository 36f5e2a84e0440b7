/** Puts an entry last in a bounded memory, which is in the order of use; the one unused for longest goes when there are too many. */
export function remember<K, V>(memory: Map<K, V>, key: K, value: V, most: number): void {
  memory.delete(key)
  memory.set(key, value)
  if (memory.size <= most) return
  const [oldest] = memory.keys()
  if (oldest !== undefined) memory.delete(oldest)
}
