/** One segment of a path template: literal text, or a parameter bound to a request field. */
export type Segment =
  | { readonly literal: string }
  | {
      /** Request field path in proto names; '' for an unbound `*`. */
      readonly field: string
      /** What the parameter may match: one segment, several, or one that starts with literal parts (`projects/*`). */
      readonly pattern: string
    }

/** A parsed google.api.http path template: `/a/{name=b/*}/{id}:verb`. */
export interface Template {
  readonly source: string
  readonly segments: readonly Segment[]
  /** The custom verb after the last segment, without its colon; '' where there is none. */
  readonly verb: string
}

/**
 * Parses `"/" Segment { "/" Segment } [ ":" verb ]`, where a segment is literal text, `*`, `**` or `{field[=segments]}`.
 * @throws Error naming the template and the place, for the author of the proto to read
 */
export function parseTemplate(source: string): Template {
  if (!source.startsWith('/')) throw new Error(`path template ${source} does not start with /`)
  const { path, verb } = splitVerb(source)
  const segments = splitSegments(path.slice(1), source).map(text => parseSegment(text, source))
  return { source, segments, verb }
}

/** The verb follows the last colon that stands outside braces and after the last slash. */
function splitVerb(source: string): { path: string; verb: string } {
  const end = Math.max(source.lastIndexOf('/'), source.lastIndexOf('}'))
  const colon = source.indexOf(':', end)
  return colon < 0
    ? { path: source, verb: '' }
    : { path: source.slice(0, colon), verb: source.slice(colon + 1) }
}

/** Splits at slashes outside braces. */
function splitSegments(path: string, source: string): string[] {
  const segments: string[] = ['']
  let depth = 0
  for (const character of path) {
    if (character === '{') depth++
    if (character === '}') depth--
    if (depth < 0 || depth > 1) throw new Error(`unbalanced braces in path template ${source}`)
    if (character === '/' && depth === 0) segments.push('')
    else segments[segments.length - 1] += character
  }
  if (depth !== 0) throw new Error(`unbalanced braces in path template ${source}`)
  if (segments.includes('')) throw new Error(`empty segment in path template ${source}`)
  return segments
}

function parseSegment(text: string, source: string): Segment {
  if (text === '*') return { field: '', pattern: ONE_SEGMENT }
  if (text === '**') return { field: '', pattern: many }
  const variable = /^\{([A-Za-z_][\w.]*)(?:=(.+))?\}$/.exec(text)
  if (variable) return { field: variable[1] ?? '', pattern: patternOf(variable[2] ?? '*') }
  if (/[{}*]/.test(text)) throw new Error(`segment ${text} of path template ${source} cannot be read`)
  return { literal: text }
}

/** The expression of a parameter that may be any one segment. */
export const ONE_SEGMENT = '[^/]+'
const many = '.*'

const patternOf = (segments: string): string =>
  segments
    .split('/')
    .map(segment =>
      segment === '*' ? ONE_SEGMENT : segment === '**' ? many : segment.replace(/[^\w-]/g, '\\$&'),
    )
    .join('/')

/**
 * The order in which templates must be tried: literal before parameter at the first place where they differ, a custom
 * verb before none, long before short. So `/instances/config` is not an instance called config.
 */
export function bySpecificity(a: Template, b: Template): number {
  const length = Math.min(a.segments.length, b.segments.length)
  for (let index = 0; index < length; index++) {
    const difference = rank(a.segments[index]) - rank(b.segments[index])
    if (difference !== 0) return difference
  }
  return b.segments.length - a.segments.length || Number(b.verb !== '') - Number(a.verb !== '')
}

const rank = (segment: Segment | undefined): number =>
  segment === undefined ? 3 : 'literal' in segment ? 0 : segment.pattern === many ? 2 : 1
