import { describe, expect, it } from 'vitest'
import { changedText, formTextOf } from '../../../console/forms/form-text.js'
import { moving, placementIn, policyFor, renaming } from '../../../console/objects/forms/placement.js'
import { objectKinds } from '../../../console/objects/kinds.js'

const text = objectKinds.services.sketch('default')
const read = (of: string) => {
  const form = formTextOf(of, () => ({}))
  if ('problem' in form) throw new Error(JSON.stringify(form.problem))
  const [object, ...others] = form.objects
  return { object: object!, policy: placementIn(others, object!), others }
}

describe('the policy that is created with an object', () => {
  it('is the one that selects it', () => {
    expect(read(text).policy?.name).toBe('web-service')
    expect(read(text.replaceAll('    name: web\n', '    name: other\n')).policy).toBeUndefined()
  })

  it('follows the name of its object, also while the name is empty', () => {
    const rename = (of: string, to: string) => {
      const { object, policy } = read(of)
      return changedText(of, documents => {
        renaming(documents, { object, policy: policy!, to })
        documents[object.index]?.setIn(['metadata', 'name'], to)
      })
    }
    const { object, policy } = read(rename(rename(text, ''), 'shop'))
    expect(object.name).toBe('shop')
    expect(policy).toMatchObject({
      name: 'shop-service',
      object: { spec: { resourceSelectors: [{ name: 'shop' }] } },
    })
  })

  it('keeps a name of its own', () => {
    const own = text.replace('name: web-service', 'name: mine')
    const { object, policy } = read(own)
    const after = changedText(own, documents => renaming(documents, { object, policy: policy!, to: 'shop' }))
    expect(after).toContain('name: mine')
  })

  it('moves into another namespace with its object', () => {
    const { object, policy } = read(text)
    const after = read(changedText(text, documents => moving(documents, object, policy, 'crew')))
    expect([after.object.namespace, after.others[0]?.namespace]).toEqual(['crew', 'crew'])
  })

  it('is created for an object without one, and selects it', () => {
    const { object, policy } = read(text)
    const alone = changedText(text, documents => documents.splice(policy!.index, 1))
    expect(read(alone).policy).toBeUndefined()
    const again = changedText(alone, documents => documents.push(policyFor(object)))
    expect(read(again).policy).toMatchObject({ name: 'web-service', namespace: 'default' })
    expect(again).toBe(text)
  })
})
