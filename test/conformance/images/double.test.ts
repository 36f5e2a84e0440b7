import { afterAll, beforeAll } from 'vitest'
import { type RegistryDouble, startRegistryDouble } from './registry-double.js'
import { registryConformance } from './suite.js'

let double: RegistryDouble
beforeAll(async () => {
  double = await startRegistryDouble()
})
afterAll(() => double.close())

/** The double that tests of the Image service read is held to what Docker's registry answers. */
registryConformance(() => double)
