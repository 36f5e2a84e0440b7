import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const rows = readFileSync(join(root, 'test/bugs-of-others.md'), 'utf8')
  .split('\n')
  .flatMap(line => {
    const [, row, file, title] = /^\| (\d+) .*\| `([^`]+)`: (.+?) +\|$/.exec(line) ?? []
    return row && file && title ? [{ row: Number(row), file, title }] : []
  })

it.each(rows)('the test against bug $row is in $file: $title', ({ file, title }) => {
  const path = join(root, 'test', file)
  expect(existsSync(path)).toBe(true)
  expect(readFileSync(path, 'utf8')).toContain(title)
})

it('each row that is about doors, headers, indexes and tokens has a test', () => {
  const wanted = [1, 2, 3, 4, 5, 6, 7, 13, 14, 16, 17, 18, 19, 22, 23, 24, 25, 26]
  expect([...new Set(rows.map(({ row }) => row))]).toEqual(wanted)
})

it('no archive is unpacked outside the playground', () => {
  const unpacking = /from '(tar|tar-fs|tar-stream|unzipper|adm-zip|yauzl|decompress)'/
  const folders = [
    'actors',
    'cli',
    'client',
    'config',
    'http',
    'karmada',
    'machines',
    'manifests',
    'ports',
    'streams',
  ]
  const found = folders.flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true })
      .map(name => join(root, folder, String(name)))
      .filter(path => path.endsWith('.ts') && unpacking.test(readFileSync(path, 'utf8'))),
  )
  expect(found).toEqual([])
})
