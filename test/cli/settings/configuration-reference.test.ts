import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { configurationReference } from '../../../cli/settings/configuration-reference.js'

it('docs/configuration.md equals the table of settings (npx vitest run test/cli -u writes it)', async () => {
  await expect(configurationReference()).toMatchFileSnapshot(
    resolve(import.meta.dirname, '../../../docs/configuration.md'),
  )
})
