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

it('each row of the collection has a test', () => {
  expect([...new Set(rows.map(({ row }) => row))]).toEqual(
    Array.from({ length: 26 }, (_, index) => index + 1),
  )
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
