import { create, type DescMethod } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { Operation } from '../../../http/operation/operation.js'
import { namingFieldsOf, objectFieldsOf, permissionOf } from '../../../http/operation/permission.js'
import { bindingsOf } from '../../../transcoding/binding.js'
import { Code } from '../../../transcoding/code.js'
import { services } from '../../proto/services.js'
import { dispatching } from './dispatching.js'

/** Every method that a right is needed for before it is handled. */
const methods = services
  .filter(({ typeName }) => typeName.startsWith('kairship.'))
  .flatMap(service => service.methods)
  .flatMap(method => {
    const permission = permissionOf(method)
    return permission?.verb && !permission.filtered ? [{ method, permission }] : []
  })

const namingFields = (method: DescMethod) =>
  namingFieldsOf(
    bindingsOf(method).map(({ template }) => template),
    objectFieldsOf(method),
  )

/** Calls a method as somebody who has no right, or every right. */
async function call(method: DescMethod, allowed: boolean, fields: Record<string, unknown>): Promise<Code> {
  const dispatcher = dispatching(() => ({}), method as Operation['method'], {
    permission: permissionOf(method) ?? null,
    namingFields: namingFields(method),
    authorizer: { decide: () => ({ allowed, reason: '' }) },
  })
  const read = () => create(method.input, fields)
  const made = method.methodKind === 'unary' ? dispatcher.unary({}, read) : dispatcher.stream({}, read)
  return made.then(
    () => Code.OK,
    (error: { readonly code: Code }) => error.code,
  )
}

/** Names what the right is about, and nothing else. */
const named = (path: string): Record<string, unknown> =>
  path ? { [path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())]: 'eu' } : {}

describe('a call with missing fields', () => {
  it('of a caller without the right is refused for that, whatever the operation', async () => {
    expect(methods.length).toBeGreaterThan(150)
    for (const { method, permission } of methods.filter(one => !one.permission.nameField.includes('.')))
      expect([method.name, await call(method, false, named(permission.nameField))]).toEqual([
        method.name,
        Code.PERMISSION_DENIED,
      ])
  })

  it('of a caller with the right names the fields', async () => {
    const found = methods.filter(({ method }) => method.name === 'DeleteConfigMap')
    for (const { method } of found)
      expect(await call(method, true, { instance: 'eu' })).toBe(Code.INVALID_ARGUMENT)
    expect(found).toHaveLength(1)
  })

  it('is refused before any right is looked at where it does not say what the right is about', async () => {
    const ofOne = methods.filter(({ method, permission }) =>
      namingFields(method).includes(permission.nameField),
    )
    expect(ofOne.length).toBeGreaterThan(150)
    for (const { method, permission } of ofOne)
      for (const allowed of [true, false])
        expect([method.name, permission.nameField, await call(method, allowed, {})]).toEqual([
          ...[method.name, permission.nameField],
          Code.INVALID_ARGUMENT,
        ])
  })
})
