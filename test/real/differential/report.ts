/** A difference as a person reads it: the history up to it, and each leaf that differs. */
export function report(
  at: number,
  history: readonly object[],
  [karmada, ours]: readonly [object, object],
): string {
  const steps = history.map(step => `  ${JSON.stringify(step)}`)
  return [`history ${at}:`, ...steps, ...leaves(karmada, ours, '')].join('\n')
}

function leaves(karmada: unknown, ours: unknown, path: string): readonly string[] {
  if (JSON.stringify(karmada) === JSON.stringify(ours)) return []
  if (isObject(karmada) && isObject(ours)) {
    const names = [...new Set([...Object.keys(karmada), ...Object.keys(ours)])]
    return names.flatMap(name => leaves(karmada[name], ours[name], `${path}/${name}`))
  }
  return [
    `  ${path}`,
    `    Karmada:    ${JSON.stringify(karmada)}`,
    `    playground: ${JSON.stringify(ours)}`,
  ]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
