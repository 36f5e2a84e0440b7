import { CommandError, ExitCode } from '../exit-code.js'
import { columns } from './columns.js'
import { fillTemplate, jsonPath, shown } from './json-path.js'
import { yamlOf } from './yaml.js'

/** An object as it is printed: in Kubernetes' form, one, or a List. */
type Printed = Readonly<Record<string, unknown>>

/**
 * Writes an object as `-o` says, with kubectl's forms: json, yaml, name, jsonpath=TEMPLATE, custom-columns=SPEC. Undefined for
 * tables, which each command draws by itself.
 * @throws CommandError for a template or columns that cannot be read
 */
export function printed(object: Printed, output: string, noHeaders = false): string | undefined {
  const [form, argument = ''] = splitOnce(output)
  switch (form) {
    case 'json':
      return `${JSON.stringify(object, null, 2)}\n`
    case 'yaml':
      return yamlOf(object)
    case 'name':
      return itemsOf(object)
        .map(item => `${nameOf(item)}\n`)
        .join('')
    case 'jsonpath':
      return fillTemplate(argument, object)
    case 'custom-columns':
      return customColumns(itemsOf(object), argument, noHeaders)
    default:
      return undefined
  }
}

/**
 * Writes an answer that is no Kubernetes object as `-o` says; undefined for tables.
 * @param names what `-o name` prints, a line each: other commands take them; it is a table where there are none
 */
export const printedAnswer = (
  answer: unknown,
  output: string,
  names?: readonly string[],
): string | undefined =>
  output === 'name' ? names?.map(name => `${name}\n`).join('') : printed(answer as Printed, output)

function splitOnce(output: string): [form: string, argument?: string] {
  const at = output.indexOf('=')
  return at < 0 ? [output] : [output.slice(0, at), output.slice(at + 1)]
}

const itemsOf = (object: Printed): readonly Printed[] =>
  object.kind === 'List' ? (object.items as readonly Printed[]) : [object]

/** `instance.kairship.io/eu-west`, which every command of kubectl takes, too. */
export const instanceName = (name: string): string => `instance.kairship.io/${name}`

/** `deployment.apps/web`, as kubectl names an object. */
function nameOf({ apiVersion, kind, metadata }: Printed): string {
  const name = String((metadata as { name: unknown }).name)
  if (typeof kind !== 'string' || kind === 'Instance') return instanceName(name)
  const [group, version] = String(apiVersion).split('/')
  return `${kind.toLowerCase()}${version ? `.${group}` : ''}/${name}`
}

/** `NAME:.metadata.name,STATE:.status.phase`; `<none>` where a path selects nothing. */
function customColumns(items: readonly Printed[], spec: string, noHeaders: boolean): string {
  // A comma in brackets belongs to the path.
  const wanted = spec.split(/,(?![^[]*\])/).map(column => {
    const [, header, path] = /^([^:]+):(.+)$/.exec(column) ?? []
    if (header === undefined || path === undefined)
      throw new CommandError(
        `-o custom-columns: expected HEADER:JSONPATH, got ${JSON.stringify(column)}`,
        ExitCode.usage,
      )
    return { header, path: path.replace(/^\{(.*)\}$/, '$1') }
  })
  const rows = items.map(item =>
    wanted.map(({ path }) => jsonPath(item, path).map(shown).join(',') || '<none>'),
  )
  return columns(
    wanted.map(({ header }) => header),
    rows,
    noHeaders,
  ).text
}
