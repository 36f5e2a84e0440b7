import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { instance } from '@viz-js/viz'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const source = readFileSync(join(root, 'docs/architecture.dot'), 'utf8')

it('docs/architecture.svg is drawn from docs/architecture.dot', async () => {
  const svg = (await instance()).renderString(source, { format: 'svg' })
  await expect(svg).toMatchFileSnapshot(join(root, 'docs/architecture.svg'))
})

it('the picture has every folder of the product', () => {
  const shown = [...source.matchAll(/\b([a-z]+)\//g)].map(([, folder]) => folder)
  const folders = [...readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(/^\| `([a-z]+)\/`/gm)].map(
    ([, folder]) => folder,
  )
  // Settings are everywhere.
  expect(folders.filter(folder => folder !== 'config' && !shown.includes(folder))).toEqual([])
})

/** Pages that a newcomer reads first. */
const pages = ['.', 'docs'].flatMap(folder =>
  readdirSync(join(root, folder))
    .filter(name => name.endsWith('.md'))
    .map(name => join(folder, name)),
)

it.each(pages)('every link of %s to a file leads to one', page => {
  const text = readFileSync(join(root, page), 'utf8')
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link ?? '')
  const missing = links.filter(link => {
    try {
      readdirSync(resolve(root, page, '..', link))
      return false
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ENOTDIR'
    }
  })
  expect(missing).toEqual([])
})
