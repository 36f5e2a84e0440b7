import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { DescMethod, DescService } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { bindingsOf } from '../../transcoding/binding.js'
import { services } from '../proto/services.js'

const root = resolve(import.meta.dirname, '../..')
/** The handlers' source files, by their paths from the root. */
const sources: readonly [path: string, text: string][] = readdirSync(join(root, 'http/rpc'), {
  recursive: true,
})
  .map(String)
  .filter(path => path.endsWith('.ts'))
  .sort()
  .map(path => [join('http/rpc', path), readFileSync(join(root, 'http/rpc', path), 'utf8')])

/** The files that have a property of the method's name among handlers of its service. */
function filesOf(service: DescService, method: DescMethod): readonly string[] {
  const handlers = new RegExp(`ServiceHandlers<\\s*typeof ${service.name}\\b`)
  const property = new RegExp(`^ +(async )?\\*?${method.localName}(:|,|\\()`, 'm')
  return sources.filter(([, text]) => handlers.test(text) && property.test(text)).map(([path]) => path)
}

const pathOf = (method: DescMethod): string => {
  const [binding] = bindingsOf(method)
  return binding ? `${binding.verb} ${binding.template.source.replace('/apis/kairship.io/v1alpha1', '')}` : ''
}

const sectionOf = (service: DescService): string => {
  const rows = service.methods.map(method => {
    const files = filesOf(service, method).map(file => `[${file.replace('http/rpc/', '')}](../${file})`)
    return `- **${method.name}** in ${files.join()}: \`${pathOf(method)}\``
  })
  return [`## ${service.name}`, '', ...rows, ''].join('\n')
}

describe('every rpc', () => {
  for (const service of services)
    it(`of ${service.name} has one file with its handler`, () => {
      const places = service.methods.map(method => [method.name, filesOf(service, method).length] as const)
      expect(places.filter(([, count]) => count !== 1)).toEqual([])
    })
})

// npx vitest run test/docs/rpcs-page.test.ts -u writes it anew.
it('docs/rpcs.md lists every rpc with its path and its file', async () => {
  const head = [
    '# RPCs',
    '',
    'Every method of the management API: its path over REST below `/apis/kairship.io/v1alpha1`, and the file below `http/rpc` with its',
    'handler.',
    '`test/docs/rpcs-page.test.ts` writes this page from the protos and the sources.',
    '',
    '',
  ].join('\n')
  const sections = [...services].sort((a, b) => (a.name < b.name ? -1 : 1)).map(sectionOf)
  await expect(head + sections.join('\n')).toMatchFileSnapshot(join(root, 'docs/rpcs.md'))
})
