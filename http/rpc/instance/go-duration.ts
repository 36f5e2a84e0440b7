/** Seconds per unit of Go's duration strings. */
const units: Readonly<Record<string, number>> = {
  h: 3_600,
  m: 60,
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
}

/** Whole seconds of a Go duration (`1m30s`, `0.5h`), rounded down; 0 where the text is none or negative. */
export function parseSeconds(text: string): bigint {
  if (!/^(\d+(\.\d+)?(h|m|s|ms|us|µs|ns))+$/.test(text)) return 0n
  let seconds = 0
  for (const [, digits, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|us|µs|ns|h|m|s)/g)) {
    seconds += Number(digits) * (units[unit ?? ''] ?? 0)
  }
  return BigInt(Math.floor(seconds))
}

/** A Go duration that Karmada's flags read: `90s`. */
export const formatSeconds = (seconds: bigint): string => `${seconds}s`
