/** Keys whose values are secrets in Kubernetes', OAuth's and our own vocabulary. */
const secretKeys =
  /^(authorization|cookie|token|.*token|.*tokenData|password|.*password|secret|client_?secret|kube_?config|kubeConfigString|client-?key(-?data)?|keyData|private_?key|stringData|tls\.key|ca\.key)$/i
const secretReferences = /(ref|file|name|namespace)$/i

const deepest = 8

/**
 * A copy of log fields without secrets: the value of every key that names one is replaced, at any depth, and errors
 * become data with their chain of causes. References to secrets (`kubeconfigSecretRef`, `tokenFile`) are kept.
 */
export function redacted(fields: object): object {
  return copy(fields, 0) as object
}

function copy(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Error) return errorFields(value, depth)
  if (value instanceof Date) return value.toISOString()
  if (depth >= deepest) return '[deep]'
  if (Array.isArray(value)) return value.map(item => copy(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      isSecret(key, item) ? '[redacted]' : copy(item, depth + 1),
    ]),
  )
}

function isSecret(key: string, value: unknown): boolean {
  return value !== undefined && value !== null && secretKeys.test(key) && !secretReferences.test(key)
}

function errorFields(error: Error, depth: number): unknown {
  const { name, message, cause } = error
  const code = 'code' in error ? { code: error.code } : {}
  return {
    name,
    message,
    ...code,
    ...(cause !== undefined && depth < deepest ? { cause: copy(cause, depth + 1) } : {}),
  }
}
