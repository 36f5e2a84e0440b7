/** How a caller wants an object or a list, as far as an index can give it: `none` is not JSON at all. */
export type Form = 'object' | 'metadata' | 'table' | 'none'

/** Binary encodings that API servers have and indexes lack. Who accepts them names JSON as a second choice, or gets none. */
const BINARY = /^application\/(vnd\.kubernetes\.protobuf|cbor(-seq)?)$/
const ANY = new Set(['*/*', 'application/*', 'application/json'])

/** What an API server would choose of an Accept header if it could make JSON only: the most wanted range decides. */
export function acceptedForm(accept: string | undefined): Form {
  if (accept === undefined || accept.trim() === '') return 'object'
  const ranges = accept.split(',').map(rangeOf)
  ranges.sort((one, other) => other.quality - one.quality)
  const wanted = ranges.find(({ type, quality }) => quality > 0 && !BINARY.test(type))
  if (!wanted || !ANY.has(wanted.type)) return 'none'
  const { as, g, v } = wanted.parameters
  if (as === undefined) return 'object'
  if (as === 'Table') return 'table'
  const isMetadata = /^PartialObjectMetadata(List)?$/.test(as) && g === 'meta.k8s.io' && v === 'v1'
  return isMetadata ? 'metadata' : 'none'
}

/** The header that asks an index for the same. */
export const acceptOf = (form: Form, verb: string): string =>
  form === 'metadata'
    ? `application/json;as=PartialObjectMetadata${verb === 'list' ? 'List' : ''};g=meta.k8s.io;v=v1`
    : 'application/json'

function rangeOf(text: string) {
  const [type = '', ...rest] = text.split(';').map(part => part.trim())
  const parameters: { readonly [name: string]: string | undefined } = Object.fromEntries(
    rest.map(part => part.split('=', 2).map(side => side.trim())),
  )
  const quality = Number(parameters.q ?? 1)
  return { type: type.toLowerCase(), parameters, quality: Number.isFinite(quality) ? quality : 0 }
}
