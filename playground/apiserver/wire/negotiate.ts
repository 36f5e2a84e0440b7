import { notAcceptable } from '../api-status.js'

/** How the caller wants an object, list or watch. */
export type Shape = 'object' | 'table' | 'metadata'

interface MediaRange {
  readonly type: string
  readonly parameters: Readonly<Record<string, string>>
  readonly quality: number
}

const SERVED = ['application/json', 'application/yaml'] as const

/** The ranges of an Accept header, most wanted first. */
export function acceptedRanges(accept: string): readonly MediaRange[] {
  const ranges = accept.split(',').flatMap(part => {
    const [type = '', ...rest] = part.split(';').map(piece => piece.trim())
    if (type === '') return []
    const parameters = Object.fromEntries(
      rest.flatMap(pair => {
        const [key, value] = pair.split('=')
        return key && value !== undefined ? [[key.trim(), value.trim()]] : []
      }),
    )
    return [{ type: type.toLowerCase(), parameters, quality: Number(parameters.q ?? 1) }]
  })
  return ranges.sort((a, b) => b.quality - a.quality)
}

export interface Negotiated {
  readonly shape: Shape
  readonly yaml: boolean
}

/** What the Accept headers that clients send mean: they are few, and reading one costs more than looking it up. */
const negotiated = new Map<string, Negotiated>()
const MOST_NEGOTIATED = 256

/**
 * Picks what this server can make. Protobuf is not among it: clients that prefer it name JSON as their second choice.
 * @throws StatusError 406 when nothing the caller accepts is served
 */
export function negotiate(accept: string): Negotiated {
  const known = negotiated.get(accept)
  if (known) return known
  const answer = pick(accept)
  if (negotiated.size === MOST_NEGOTIATED) negotiated.clear()
  negotiated.set(accept, answer)
  return answer
}

function pick(accept: string): Negotiated {
  const ranges = accept === '' ? [] : acceptedRanges(accept)
  if (ranges.length === 0) return { shape: 'object', yaml: false }
  for (const { type, parameters } of ranges) {
    const yaml = type === 'application/yaml'
    const any = type === '*/*' || type === 'application/*'
    if (!yaml && !any && type !== 'application/json') continue
    if (parameters.as === undefined) return { shape: 'object', yaml }
    if (parameters.g !== undefined && parameters.g !== 'meta.k8s.io') continue
    if (parameters.v !== undefined && parameters.v !== 'v1' && parameters.v !== 'v1beta1') continue
    if (parameters.as === 'Table') return { shape: 'table', yaml }
    if (parameters.as === 'PartialObjectMetadata' || parameters.as === 'PartialObjectMetadataList') {
      return { shape: 'metadata', yaml }
    }
  }
  throw notAcceptable(SERVED)
}
