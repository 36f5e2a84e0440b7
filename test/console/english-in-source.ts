import { readdirSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'

/** Files whose English reaches pages of the console as sentences of Kairship's. Errors of requests are none: they have reasons (docs/errors.md). */
const FOLDERS = ['karmada/explain', 'http/rpc/access-review', 'http/rpc/placement']
const FILES = [
  'karmada/rbac/words.ts',
  'manifests/wide-subjects.ts',
  'manifests/effective-binding.ts',
  ...['conditions', 'facts', 'history', 'left-behind', 'pending', 'requirements', 'task'].map(
    name => `machines/instance/${name}.ts`,
  ),
]
/** Files of those folders that say nothing but what is wrong with a request. */
const OF_REQUESTS = ['question.ts', 'review-limits.ts', 'role-grant.ts', 'policy-manifest.ts']

/** Functions whose argument is a refusal of a request. */
const REFUSALS = /^(notFound|permissionDenied|invalidFields|resourceExhausted|badGateway|failedPrecondition)$/

/** A text of the server's source, cut where a value stands in it. */
export interface SourceText {
  readonly file: string
  readonly parts: readonly string[]
}

/** Each text of these files that has two English words in a row, except what only requests' errors have. */
export function englishTexts(): readonly SourceText[] {
  const files = [
    ...FILES,
    ...FOLDERS.flatMap(folder =>
      readdirSync(folder)
        .filter(name => name.endsWith('.ts') && !OF_REQUESTS.includes(name))
        .map(name => `${folder}/${name}`),
    ),
  ]
  return files.flatMap(file => {
    const { program, errors } = parseSync(file, readFileSync(file, 'utf8'))
    if (errors.length > 0) throw new Error(`${file} cannot be parsed`)
    return textsIn(program).map(parts => ({ file, parts }))
  })
}

function textsIn(node: unknown): (readonly string[])[] {
  if (Array.isArray(node)) return node.flatMap(textsIn)
  if (typeof node !== 'object' || node === null || isLeftOut(node)) return []
  const here = partsOf(node)
  const inner = Object.entries(node).flatMap(([key, value]) => (key === 'parent' ? [] : textsIn(value)))
  return here?.some(part => /[a-z’'] [a-z]|[a-z]+ $|^ [a-z]+/.test(part)) ? [here, ...inner] : inner
}

function isLeftOut(node: object): boolean {
  if (!('type' in node)) return false
  if (node.type === 'ImportDeclaration' || node.type === 'TSLiteralType' || node.type === 'ThrowStatement')
    return true
  const { callee } = node as { readonly callee?: { readonly name?: string } }
  return node.type === 'CallExpression' && REFUSALS.test(callee?.name ?? '')
}

interface Literal {
  readonly type: 'Literal'
  readonly value: unknown
}
interface Template {
  readonly type: 'TemplateLiteral'
  readonly quasis: readonly { readonly value: { readonly cooked: string } }[]
}

function partsOf(node: object): readonly string[] | undefined {
  const found = node as Literal | Template
  if (found.type === 'TemplateLiteral') return found.quasis.map(({ value }) => value.cooked)
  return found.type === 'Literal' && typeof found.value === 'string' ? [found.value] : undefined
}
