import { qualifiedName } from '../../../manifests/name-format.js'

/** One step into an object: a field, and whether a list index follows it. */
export interface FieldStep {
  readonly name: string
  readonly isList: boolean
}

/** A field path or selector that cannot be read; `status` tells a bad request from a request that is refused (422). */
export class FieldSelectorError extends Error {
  override readonly name = 'FieldSelectorError'
  constructor(
    message: string,
    /** The path and value that were refused, where a refusal is about one. */
    readonly refused?: { readonly field: string; readonly value: string; readonly detail: string },
  ) {
    super(message)
  }
}

/**
 * Reads Clusterpedia's field paths: `spec.replicas`, `.metadata.labels['a.b/c']`, `spec.containers[0].name`, `spec.ports[].port`.
 * @throws FieldSelectorError
 */
export function parseFieldPath(text: string): readonly FieldStep[] {
  const steps: FieldStep[] = []
  let rest = text
  while (rest !== '') {
    if (rest.startsWith('.')) {
      rest = rest.slice(1)
      if (rest === '') throw new FieldSelectorError("empty field after '.'")
    }
    rest = rest.startsWith('[') ? bracket(rest, steps) : field(rest, steps)
  }
  if (steps.length === 0) throw new FieldSelectorError('fields is empty')
  for (const [index, { name }] of steps.entries()) {
    const complaints = qualifiedName(name)
    const path = steps.slice(0, index + 1).map(step => step.name)
    if (complaints.length > 0) throw refusal(path.join('.'), name, complaints.join('; '))
  }
  const last = steps.at(-1)
  if (last?.isList)
    throw refusal(steps.map(step => step.name).join('.'), last.name, 'last field could not be list')
  return steps
}

const refusal = (path: string, value: string, detail: string): FieldSelectorError =>
  new FieldSelectorError(`${path}: Invalid value: ${JSON.stringify(value)}: ${detail}`, {
    field: path,
    value,
    detail,
  })

function field(text: string, steps: FieldStep[]): string {
  const quote = text[0]
  if (quote === "'" || quote === '"') {
    const end = text.indexOf(quote, 1)
    if (end === -1) throw new FieldSelectorError(`not found right '${quote}'`)
    if (end === 1) throw new FieldSelectorError(`empty field ${quote}${quote}`)
    steps.push({ name: text.slice(1, end), isList: false })
    return text.slice(end + 1)
  }
  const end = text.search(/[.[]/)
  steps.push({ name: end === -1 ? text : text.slice(0, end), isList: false })
  return end === -1 ? '' : text.slice(end)
}

/** `['field']`, `[0]` or `[]`. */
function bracket(text: string, steps: FieldStep[]): string {
  const end = text.indexOf(']')
  if (end === -1) throw new FieldSelectorError("not found ']'")
  const inside = text.slice(1, end)
  const quote = inside[0]
  if (quote === "'" || quote === '"') {
    const close = inside.indexOf(quote, 1)
    if (close === -1) throw new FieldSelectorError(`not found right '${quote}'`)
    if (close === 1) throw new FieldSelectorError(`empty field ${quote}${quote}`)
    if (close !== inside.length - 1) throw new FieldSelectorError(`invalid field [${inside}]`)
    steps.push({ name: inside.slice(1, close), isList: false })
    return text.slice(end + 1)
  }
  const list = steps.pop()
  if (!list) throw new FieldSelectorError(`[${inside}], not found list field`)
  if (inside !== '' && !/^\d+$/.test(inside))
    throw new FieldSelectorError(
      `${list.name}[<index>] list index invalid. if ${inside} is a field, please use ['${inside}'] or .'${inside}'`,
    )
  steps.push({ name: list.name, isList: true })
  return text.slice(end + 1)
}
