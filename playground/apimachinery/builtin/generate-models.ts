import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { BUILTIN_KINDS } from './kinds.js'
import { type DescriptionFile, descriptionPath, type Model, type ModelFile, modelPath } from './model-file.js'

/*
 * Run by `npm run build`: reads the generated model classes of @kubernetes/client-node as text and writes what the embedded
 * API server needs of them as compact JSON under dist/gen. Does nothing when that is there already for this version.
 */

/** Types that no kind reaches but requests and answers carry. */
const ENVELOPES = [
  'V1DeleteOptions',
  'V1Status',
  'V1Scale',
  'V1Eviction',
  'V1Binding',
  'AuthenticationV1TokenRequest',
  'V1ListMeta',
]

interface Attribute {
  readonly name: string
  readonly baseName: string
  readonly type: string
  readonly format: string
}

/** The package's folder; its `exports` hide package.json, so the entry point leads there. */
function clientFolder(): string {
  const entry = createRequire(import.meta.url).resolve('@kubernetes/client-node')
  return join(entry.slice(0, entry.lastIndexOf('client-node')), 'client-node')
}

function attributes(source: string, model: string): readonly Attribute[] {
  const table = /attributeTypeMap = (\[[\s\S]*?\n?\]);/.exec(source)?.[1]
  if (table === undefined)
    throw new Error(`${model}: no attributeTypeMap; has @kubernetes/client-node changed its form?`)
  return JSON.parse(table) as Attribute[]
}

const plain = (comment: string): string =>
  comment
    .replaceAll(/^\s*\*? ?/gm, '')
    .replaceAll(/\\(['"])/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()

function describe(declaration: string): Record<string, string> {
  const own = /\/\*\*\n((?:\*[^/].*\n|\*\n)+)\*\/\nexport declare class/.exec(declaration)?.[1]
  const described: Record<string, string> = own === undefined ? {} : { '': plain(own) }
  for (const [, comment = '', name = ''] of declaration.matchAll(
    /\/\*\*\n((?:(?!\*\/)[\s\S])*?)\*\/\n\s*'([^']+)'\??:/g,
  )) {
    described[name] = plain(comment)
  }
  return described
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  Date: 'date-time',
  V1MicroTime: 'micro-time',
  number: 'number',
  any: 'any',
  object: 'object',
}

/** `Array<V1Pod>` → `[V1Pod]`, `{ [key: string]: string; }` → `{string}`, numbers by their format. */
function token({ type, format }: Attribute): string {
  const list = /^Array<(.*)>$/.exec(type)?.[1]
  if (list !== undefined) return `[${token({ name: '', baseName: '', type: list, format })}]`
  const map = /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1]
  if (map !== undefined) return `{${token({ name: '', baseName: '', type: map, format })}}`
  if (type === 'number' || type === 'string')
    return format === '' || format === 'date-time' ? (type === 'number' ? 'int64' : 'string') : format
  return PRIMITIVES[type] ?? type
}

function generate(folder: string): { models: Record<string, Model>; descriptions: DescriptionFile } {
  const models: Record<string, Model> = {}
  const descriptions: Record<string, Record<string, string>> = {}
  const pending = [...ENVELOPES, ...BUILTIN_KINDS.map(({ model }) => model)]
  for (let model = pending.pop(); model !== undefined; model = pending.pop()) {
    if (models[model]) continue
    const path = join(folder, 'dist', 'gen', 'models', model)
    const declaration = readFileSync(`${path}.d.ts`, 'utf8')
    const described = describe(declaration)
    const fields: Record<string, string> = {}
    const texts: Record<string, string> = { '': described[''] ?? '' }
    for (const attribute of attributes(readFileSync(`${path}.js`, 'utf8'), model)) {
      const required = new RegExp(`'${attribute.name.replaceAll('$', '\\$')}':`).test(declaration)
      const type = token(attribute)
      fields[attribute.baseName] = required ? `${type}!` : type
      texts[attribute.baseName] = described[attribute.name] ?? ''
      const inner = type.replaceAll(/[[\]{}]/g, '')
      if (/^[A-Z]/.test(inner) && inner !== 'IntOrString') pending.push(inner)
    }
    models[model] = fields
    descriptions[model] = texts
  }
  return { models, descriptions }
}

const folder = clientFolder()
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
const fingerprint = `${version} ${BUILTIN_KINDS.map(({ model }) => model).join(' ')}`

if (
  !existsSync(modelPath()) ||
  (JSON.parse(readFileSync(modelPath(), 'utf8')) as ModelFile).source !== fingerprint
) {
  const { models, descriptions } = generate(folder)
  mkdirSync(dirname(modelPath()), { recursive: true })
  writeFileSync(descriptionPath(), JSON.stringify(descriptions))
  writeFileSync(modelPath(), JSON.stringify({ source: fingerprint, models } satisfies ModelFile))
}
