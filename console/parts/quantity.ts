import type { Words } from '../words/en.js'

/** Suffixes of Kubernetes quantities (k8s.io/apimachinery, pkg/api/resource), as factors. */
const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

/** The value of a quantity for bars and rounded texts. A number may not hold it exactly, so it is never sent back. */
export function roughly(quantity: string | undefined): number | undefined {
  const [, digits, suffix = ''] =
    /^([0-9.]+(?:e[+-]?\d+)?)([numkMGTPE]|[KMGTPE]i)?$/.exec(quantity ?? '') ?? []
  const factor = FACTORS[suffix]
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor
}

const BYTES = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi'] as const

/** An amount of memory with three digits: `63.9 Gi`. */
export function bytesText(bytes: number, { locale }: Words): string {
  let [value, unit] = [bytes, '']
  for (const next of BYTES) {
    if (value < 1_000) break
    ;[value, unit] = [value / 1_024, next]
  }
  return `${value.toLocaleString(locale, { maximumSignificantDigits: 3 })}${unit && ` ${unit}`}`
}

/** An amount of CPU with three digits and its unit: in cores, and below one in millicores, as Kubernetes writes them. */
export function coresText(cores: number, { locale, instance }: Words): string {
  const text = (value: number) => value.toLocaleString(locale, { maximumSignificantDigits: 3 })
  const thousandths = cores * 1_000
  return cores > 0 && thousandths < 999.5 ? `${text(thousandths)}m` : instance.cores(text(cores))
}
