import type { Cluster } from '../../proto/gen/kairship/cluster_pb.js'
import { TaintEffect } from '../../proto/gen/kairship/types_pb.js'

/** The fields of a cluster's form: texts that may be invalid while the user types. */
export interface ClusterFields {
  /** `key=value` on each line. */
  readonly labels: string
  /** `key=value:Effect` on each line, as in kubectl. */
  readonly taints: string
  readonly provider: string
  readonly region: string
  /** Separated by commas. */
  readonly zones: string
}

export const NO_FIELDS: ClusterFields = { labels: '', taints: '', provider: '', region: '', zones: '' }

/** A taint in kubectl's notation. */
export const taintText = ({
  key,
  value,
  effect,
}: {
  readonly key: string
  readonly value: string
  readonly effect: TaintEffect
}): string => `${key}${value && `=${value}`}:${TaintEffect[effect]}`

/** The form's fields of an existing cluster. */
export function fieldsOf({ metadata, spec }: Cluster): ClusterFields {
  return {
    labels: Object.entries(metadata?.labels ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .sort()
      .join('\n'),
    taints: (spec?.taints ?? []).map(taintText).join('\n'),
    provider: spec?.providerName ?? '',
    region: spec?.region ?? '',
    zones: (spec?.zones ?? []).join(', '),
  }
}

/** An invalid line. */
export interface WrongLine {
  /** Counts from 1. */
  readonly line: number
  readonly text: string
}

/** The parsed value and the invalid lines. The characters of keys and values are checked by the server. */
export interface Read<T> {
  readonly value: T
  readonly wrong: readonly WrongLine[]
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line, index) => ({ line: index + 1, text: line.trim() }))
    .filter(({ text: line }) => line !== '')

export function readLabels(text: string): Read<Readonly<Record<string, string>>> {
  const lines = linesOf(text)
  const isRight = ({ text: line }: WrongLine) => line.indexOf('=') > 0
  return {
    value: Object.fromEntries(
      lines.filter(isRight).map(({ text: line }) => {
        const at = line.indexOf('=')
        return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
      }),
    ),
    wrong: lines.filter(line => !isRight(line)),
  }
}

const TAINT = /^([^=:\s]+)(?:=([^:\s]*))?:(NoSchedule|NoExecute)$/

/** A taint of an API request. */
export interface TaintFields {
  readonly key: string
  readonly value: string
  readonly effect: TaintEffect
}

export function readTaints(text: string): Read<readonly TaintFields[]> {
  const lines = linesOf(text)
  return {
    value: lines.flatMap(({ text: line }) => {
      const [, key, value = '', effect] = TAINT.exec(line) ?? []
      return key ? [{ key, value, effect: TaintEffect[effect as keyof typeof TaintEffect] }] : []
    }),
    wrong: lines.filter(({ text: line }) => !TAINT.test(line)),
  }
}

export const readZones = (text: string): string[] =>
  text
    .split(',')
    .map(zone => zone.trim())
    .filter(Boolean)

/** One difference between two versions of the fields. */
export type Difference =
  | { readonly kind: 'adds' | 'removes'; readonly what: string }
  | {
      readonly kind: 'sets'
      readonly field: 'provider' | 'region' | 'zones'
      readonly from: string
      readonly to: string
    }

/** The changes from the saved fields to the typed ones. */
export function differences(before: ClusterFields, after: ClusterFields): readonly Difference[] {
  const lines = (fields: ClusterFields) => [
    ...linesOf(fields.labels).map(({ text }) => text),
    ...linesOf(fields.taints).map(({ text }) => text),
  ]
  const [was, is] = [lines(before), lines(after)]
  return [
    ...is.filter(line => !was.includes(line)).map(what => ({ kind: 'adds' as const, what })),
    ...was.filter(line => !is.includes(line)).map(what => ({ kind: 'removes' as const, what })),
    ...(['provider', 'region', 'zones'] as const)
      .map(field => ({ kind: 'sets' as const, field, from: before[field].trim(), to: after[field].trim() }))
      .filter(({ field, from, to }) =>
        field === 'zones' ? readZones(from).join() !== readZones(to).join() : from !== to,
      ),
  ]
}
