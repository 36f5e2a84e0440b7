import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { ManifestProblem } from '../../../console/editor/manifest-problem.js'
import { manifestEn, manifestZh } from '../../../console/words/manifest.js'

const at = { message: 'Tabs are not allowed as indentation at line 2, column 1:', line: 2, column: 1 }

it.each<[ManifestProblem, string, string]>([
  [
    { is: 'noYaml', code: 'TAB_AS_INDENT', ...at },
    'Tabs are not allowed as indentation at line 2, column 1:',
    '第 2 行第 1 列不是 YAML：不能用制表符缩进：请使用空格。',
  ],
  [{ is: 'repeatedKey', key: 'spec' }, 'The key spec comes twice', '同一映射中键 spec 出现两次'],
  [{ is: 'noMapping' }, 'A manifest is a mapping', '清单是映射'],
  [{ is: 'missing', field: 'kind' }, 'The field kind is missing.', '缺少字段 kind。'],
  [{ is: 'empty' }, 'There is no manifest here.', '此处没有清单。'],
  [{ is: 'several' }, 'You edit one object', '一次编辑一个对象'],
  [{ is: 'tooMany', count: 30, most: 20 }, 'There are 30 manifests here', '此处有 30 个清单'],
  [
    { is: 'other', kind: 'Service', name: 'web', field: 'metadata.namespace', value: 'a', mustBe: '' },
    'You edit Service web: metadata.namespace is a here, and must stay empty.',
    '正在编辑 Service web：metadata.namespace 在此处为 a，必须保持为空。',
  ],
])('the problem of a text that is no manifest is shown in both languages: %j', (problem, en, zh) => {
  expect(manifestEn(problem)).toContain(en)
  expect(manifestZh(problem)).toContain(zh)
})

it('each error code of the YAML parser has a Chinese text', () => {
  const codes = readFileSync('node_modules/yaml/dist/errors.d.ts', 'utf8').match(/'[A-Z][A-Z_0-9]+'/g) ?? []
  expect(codes.length).toBeGreaterThan(20)
  for (const code of codes.map(quoted => quoted.slice(1, -1)))
    expect(manifestZh({ is: 'noYaml', code: code as never, ...at })).not.toContain(code)
})
