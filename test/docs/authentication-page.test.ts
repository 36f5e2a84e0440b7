import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { parseAuthentication } from '../../http/identity/oidc/configuration.js'
import { claimMapping } from '../../http/identity/oidc/mapping.js'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/authentication.md'), 'utf8')
const example = () => {
  const [, text = ''] = /```yaml\n( +apiVersion: apiserver[\s\S]*?)```/.exec(page) ?? []
  return parseAuthentication(text.replace(/^ {3}/gm, ''), 'docs/authentication.md')
}

it('the example of docs/authentication.md is a configuration that Kairship reads', () => {
  expect(example().jwt.map(({ issuer }) => issuer.url)).toEqual([
    'https://login.example.com/realms/platform',
    'https://token.actions.example.com',
  ])
})

it('the example of docs/authentication.md maps claims as the page says', () => {
  const [people, pipelines] = example().jwt.map(claimMapping)
  expect(people?.({ sub: 'ada', groups: ['operators'] })).toMatchObject({
    user: 'platform:ada',
    groups: ['platform:operators', 'system:authenticated'],
  })
  const claims = {
    repository_owner: 'example',
    repository: 'example/shop',
    ref: 'refs/heads/main',
    run_id: 7,
    iat: 0,
    exp: 3_600,
  }
  expect(pipelines?.({ ...claims })).toEqual({
    user: 'ci:example/shop',
    groups: ['ci:release', 'system:authenticated'],
    extra: { 'example.com/run': ['7'] },
  })
  expect(() => pipelines?.({ ...claims, repository_owner: 'other' })).toThrow(
    'only repositories of example may deploy',
  )
  expect(() => pipelines?.({ ...claims, exp: 3_601 })).toThrow('tokens may be valid for an hour at most')
  expect(() => pipelines?.({ ...claims, repository: 'other/shop' })).toThrow(
    'its user does not meet the rule',
  )
})
