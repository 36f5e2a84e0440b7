import { expect, it } from 'vitest'
import { accessOf } from '../../../../http/rpc/access-review/question.js'

const fields = { instance: 'eu', verb: 'get', group: '', resource: 'pods', namespace: '', name: '', path: '' }

it.each(['..', 'm1/../m2', 'm1%2fproxy', '\ud800'])(
  'a question about the member %j is refused: it would be another path to the instance',
  cluster => {
    for (const asked of [fields, { ...fields, resource: '', path: '/healthz' }])
      expect(() => accessOf({ ...asked, cluster })).toThrow(/cluster/)
    expect(accessOf({ ...fields, cluster: 'm1' })).toMatchObject({ verb: 'get', resource: 'pods' })
  },
)
