import { expect, it } from 'vitest'
import { startHost } from '../../../playground/fleet/host.js'

const listening = () => process.getActiveResourcesInfo().filter(name => name === 'TCPServerWrap').length

it('a host whose setup fails leaves no open port', async () => {
  const before = listening()
  const refuses = () => {
    throw new Error('the disk is full')
  }
  const webhooks = { mutate: refuses, validate: () => undefined, validateDeletion: () => undefined }
  await expect(startHost({ name: 'host', webhooks })).rejects.toThrow()
  await expect.poll(listening).toBe(before)
})
