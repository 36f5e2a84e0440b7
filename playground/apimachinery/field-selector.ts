import { SelectorError } from '../../manifests/label-selector.js'

/** One comma-separated term of a field selector. */
export interface FieldRequirement {
  readonly field: string
  readonly operator: '=' | '!='
  readonly value: string
}

/** All requirements must hold; none at all selects everything. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[]
  /** @param fields the object's selectable fields; an absent one reads as '' */
  matches(fields: Readonly<Record<string, string>>): boolean
}

/**
 * Reads the `fieldSelector` query parameter: `metadata.name=x,status.phase!=Running`; `\` escapes `,`, `=` and itself.
 * @throws SelectorError with the message of Kubernetes' own parser
 */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements = splitTerms(text)
    .sort()
    .filter(term => term !== '')
    .map(term => parseTerm(term, text))

  return {
    requirements,
    matches: fields =>
      requirements.every(
        ({ field, operator, value }) => ((fields[field] ?? '') === value) === (operator === '='),
      ),
  }
}

/**
 * Refuses fields that the type does not index, as the API server does before it lists.
 * @param supported the type's own selectable fields besides metadata.name and metadata.namespace; undefined for kinds that
 * declare none, which Kubernetes refuses in other words than kinds that declare some (custom ones always do)
 * @throws SelectorError naming the field
 */
export function checkFieldSelector(
  selector: FieldSelector,
  supported: ReadonlySet<string> | undefined,
): void {
  for (const { field } of selector.requirements) {
    if (field === 'metadata.name' || field === 'metadata.namespace' || supported?.has(field)) continue
    throw new SelectorError(
      supported === undefined
        ? `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
        : `field label not supported: ${field}`,
    )
  }
}

/** The value of `field=value` when the selector pins the field, so that a list can become a get. */
export function exactValue(selector: FieldSelector, field: string): string | undefined {
  return selector.requirements.find(one => one.field === field && one.operator === '=')?.value
}

function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === ',') {
      terms.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...terms, text.slice(start)]
}

function parseTerm(term: string, whole: string): FieldRequirement {
  const split = /^(.*?)(!=|==|=)(.*)$/s.exec(term)
  if (!split) throw new SelectorError(`invalid selector: '${whole}'; can't understand '${term}'`)
  const [, field = '', operator = '=', value = ''] = split
  return { field, operator: operator === '!=' ? '!=' : '=', value: unescapeValue(value) }
}

function unescapeValue(value: string): string {
  return value.replace(/\\(.?)|[,=]/gsu, (whole, escaped: string | undefined) => {
    if (escaped === undefined) {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${whole.codePointAt(0)}`)
    }
    if (escaped === '\\' || escaped === ',' || escaped === '=') return escaped
    throw new SelectorError(`invalid field selector: invalid escape sequence: ${whole}`)
  })
}
