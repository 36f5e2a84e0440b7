import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { CommandError } from '../../../cli/exit-code.js'
import { fillTemplate, jsonPath } from '../../../cli/print/json-path.js'
import { kubectls } from '../../scenarios/support/kubectl.js'

const run = promisify(execFile)

const config = {
  kind: 'Config',
  apiVersion: 'v1',
  preferences: {},
  clusters: [
    { name: 'a.b', cluster: { server: 'https://a', 'insecure-skip-tls-verify': true } },
    { name: 'c', cluster: { server: 'https://c' } },
  ],
  users: [{ name: 'u', user: {} }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  'current-context': 'x',
}

/** What kubectl answers for `config view` of the above, by template. */
const templates: [template: string, text: string][] = [
  ['{.kind}', 'Config'],
  ['plain {.kind} text', 'plain Config text'],
  ['{.current-context}', 'x'],
  ['{.clusters[*].name}', 'a.b c'],
  ['{.clusters[0].name}', 'a.b'],
  ['{.clusters[-1].name}', 'c'],
  ['{.clusters[-2].name}', 'a.b'],
  ['{.clusters[0:1].name}', 'a.b'],
  ['{.clusters[*].cluster.server}', 'https://a https://c'],
  ['{.clusters[?(@.name=="c")].cluster.server}', 'https://c'],
  ['{.clusters[?(@.name!="c")].name}', 'a.b'],
  ['{..server}', 'https://a https://c'],
  ['{.contexts[0].context}', '{"cluster":"c","user":"u"}'],
  ["{.contexts[0]['name']}", 'x'],
  ['{.clusters[0].cluster.insecure-skip-tls-verify}', 'true'],
  ['{range .clusters[*]}{.name}={.cluster.server}{"\\n"}{end}', 'a.b=https://a\nc=https://c\n'],
  ['{range .clusters[*]}[{.name}]{"\\t"}{end}.', '[a.b]\t[c]\t.'],
  ['{"a } brace"}', 'a } brace'],
]

it.each(templates)('evaluates %s', (template, text) => {
  expect(fillTemplate(template, config)).toBe(text)
})

it.skipIf(kubectls().length === 0)('evaluates each of these templates as kubectl does', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'json-path-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const kubeconfig = join(folder, 'config')
  await writeFile(kubeconfig, JSON.stringify(config))
  const asked = templates.map(async ([template]) => {
    const { stdout } = await run(kubectls()[0] ?? '', ['config', 'view', '-o', `jsonpath=${template}`], {
      env: { KUBECONFIG: kubeconfig },
    })
    return [template, stdout]
  })
  expect(await Promise.all(asked)).toEqual(templates)
})

it.each([
  ['.metadata.labels.app\\.kubernetes\\.io/name', 'k'],
  ["metadata.labels['app.kubernetes.io/name']", 'k'],
  ['.metadata.missing.deeper', undefined],
])('parses %s', (path, value) => {
  const found = jsonPath({ metadata: { labels: { 'app.kubernetes.io/name': 'k' } } }, path)
  expect(found[0]).toBe(value)
})

it.each(['{.a', '{range .items[*]}{.a}', '{end}', '{.a[?(@.b==)]}'])('refuses %s', template => {
  expect(() => fillTemplate(template, { items: [], a: [{ b: 1 }] })).toThrow(CommandError)
})

it.each(['return process")().exit(1)', 'return true")()'])(
  'executes no JavaScript in a filter: %s',
  called => {
    const path = `.a[?(@.constructor.constructor("${called})]`
    expect(() => jsonPath({ a: [{ b: 1 }] }, path)).toThrow(CommandError)
  },
)
