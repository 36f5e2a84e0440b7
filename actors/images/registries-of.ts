import { readRegistries } from './registries-file.js'
import { Registry } from './registry.js'

/**
 * The registries that the setting's file names; none where there is no file. Nothing is sent to them yet: Kairship starts without
 * them.
 * @throws ServiceSettingError for a file that cannot be used
 */
export async function registriesOf({
  registriesFile,
}: {
  readonly registriesFile: string | undefined
}): Promise<readonly Registry[]> {
  if (registriesFile === undefined) return []
  const entries = await readRegistries(registriesFile)
  return Promise.all(entries.map(entry => new Registry(entry).prepare()))
}
