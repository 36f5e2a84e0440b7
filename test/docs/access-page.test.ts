import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { objectFieldsOf, permissionOf } from '../../http/operation/permission.js'
import type { HttpMethod } from '../../transcoding/binding.js'
import { COLUMNS } from '../access/columns.js'
import {
  AT_HOME,
  expected,
  expectedProxied,
  inPath,
  nameOf,
  operations,
  PROXIED,
  type Verdict,
} from '../access/table.js'

const page = resolve(import.meta.dirname, '../../docs/access.md')
const TABLES = '## The tables\n'

const WORDS: Record<Verdict, string> = {
  allowed: 'yes',
  filtered: 'own',
  refused: 'no',
  'refused inside': 'no (inside)',
  member: 'member',
}
/** A table as the formatter of this repository writes it. */
function table(first: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [[...first, ...COLUMNS.map(({ title }) => title)], ...rows]
  const widths = all[0]!.map((_, column) => Math.max(...all.map(cells => cells[column]!.length)))
  const [names = '', ...body] = all.map(
    cells => `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`,
  )
  return [names, `| ${widths.map(width => '-'.repeat(width)).join(' | ')} |`, ...body]
}

/** The right on the host, as Kubernetes' RBAC has it. */
function rightOf(method: HttpMethod): string {
  const { verb, resource, anyCaller } = permissionOf(method)!
  return anyCaller ? '–' : `${verb} ${resource}`
}

/** What it does inside the instance, or in a member of it. */
function insideOf(method: HttpMethod): string {
  const fields = objectFieldsOf(method)
  if (!fields) return '–'
  const { verb, resource } = fields.action
  const where = inPath(method, 'cluster') ? ', member' : ''
  return `${verb} ${resource || 'the named type'}${where}`
}

const operationTable = (of: readonly HttpMethod[]) =>
  table(
    ['Operation', 'Right on the host', 'Inside'],
    of.map(method => [
      method.name,
      rightOf(method),
      insideOf(method),
      ...COLUMNS.map(column => WORDS[expected(method, column, AT_HOME)]),
    ]),
  )

const proxyTable = () =>
  table(
    ['Request'],
    PROXIED.map(one => [one.title, ...COLUMNS.map(column => WORDS[expectedProxied(one, column, AT_HOME)])]),
  )

// npx vitest run test/docs/access-page.test.ts -u writes the tables anew.
it('docs/access.md has the table of every operation and role that the protos, the roles and their RBAC say', async () => {
  const text = readFileSync(page, 'utf8')
  const [introduction = ''] = text.split(TABLES)
  const names = [...new Set(operations.map(({ parent }) => parent.name))].sort()
  const services = names.map(name => [name, operations.filter(({ parent }) => parent.name === name)] as const)
  const tables = [
    ...['### The proxy', '', ...proxyTable(), ''],
    ...services.flatMap(([name, methods]) => [`### ${name}`, '', ...operationTable(methods), '']),
  ]
  await expect(`${introduction}${TABLES}\n${LEGEND}\n\n${tables.join('\n')}`).toMatchFileSnapshot(page)
})

const LEGEND = `\`test/docs/access-page.test.ts\` writes what follows from the protos, the rights of roles and their RBAC inside instances, and
\`test/access/matrix.test.ts\` makes each call as each caller. In the columns of namespaces a call is about a namespace that the role covers; in another one
the answer is \`no (inside)\`. On another instance it is \`no\`.

- \`yes\`: allowed. \`own\`: allowed, and shows only what the caller may see.
- \`no\`: Kairship refuses it. \`no (inside)\`: the instance's own RBAC refuses it.
- \`member\`: the RBAC of the member cluster decides, about the caller's own name.`

it('no operation is without a permission', () => {
  expect(operations.filter(method => !permissionOf(method)).map(nameOf)).toEqual([])
})
