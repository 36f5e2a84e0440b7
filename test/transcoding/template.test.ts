import { describe, expect, it } from 'vitest'
import { parseTemplate } from '../../transcoding/template.js'

describe('a path template', () => {
  it.each(['v1/x', '/v1/{name', '/v1/name}', '/v1/{{a}}', '/v1//x', '/v1/a*b', '/v1/{1x}'])(
    'refuses %s',
    template => expect(() => parseTemplate(template)).toThrow(template),
  )
})
