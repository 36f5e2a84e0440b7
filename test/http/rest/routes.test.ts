import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { patternOf } from '../../../http/rest/routes.js'
import { bySpecificity, parseTemplate } from '../../../transcoding/template.js'

describe('a path template', () => {
  it.each([
    ['/v1/{name}', '/v1/:p1'],
    ['/v1/{name}:undelete', '/v1/:p1{[^/]+:undelete}'],
    ['/v1/things:watch', '/v1/things:watch'],
    ['/v1/{name=projects/*}/x', '/v1/:p1{projects/[^/]+}/x'],
    ['/v1/{rest=**}', '/v1/:p1{.*}'],
    ['/v1/*/x', '/v1/:p1/x'],
    ['/v1/{a.b}/{c}', '/v1/:p1/:p2'],
  ])('%s compiles to %s', (template, pattern) => expect(patternOf(parseTemplate(template))).toBe(pattern))
})

describe('routes of templates', () => {
  const sources = [
    '/i/{name}',
    '/i/{name}/json',
    '/i/{name}:explain',
    '/i/config',
    '/i/{name}/{kind}',
    '/i:watch',
    '/i',
    '/{rest=**}',
  ]
  const app = new Hono()
  for (const template of sources.map(parseTemplate).sort(bySpecificity)) {
    app.get(patternOf(template), c => c.text(template.source))
  }

  it.each([
    ['/i/north', '/i/{name}'],
    ['/i/config', '/i/config'],
    ['/i/north/json', '/i/{name}/json'],
    ['/i/north/other', '/i/{name}/{kind}'],
    ['/i/north:explain', '/i/{name}:explain'],
    ['/i/config:explain', '/i/{name}:explain'],
    ['/i/north:other', '/i/{name}'],
    ['/i/a%2Fb/json', '/i/{name}/json'],
    ['/i:watch', '/i:watch'],
    ['/i', '/i'],
    ['/i/a/b/c', '/{rest=**}'],
  ])('%s is answered by %s', async (path, source) => {
    expect(await (await app.request(path)).text()).toBe(source)
  })
})
