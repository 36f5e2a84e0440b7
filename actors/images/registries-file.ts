import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { z } from 'zod'
import { fieldPath } from '../../ports/field-path.js'
import { ServiceSettingError } from '../../ports/service-error.js'

/** One registry of the file that `registriesFile` names. */
export interface RegistryEntry {
  readonly name: string
  readonly alias: string
  /** `https://host:port` */
  readonly url: string
  readonly host: string
  readonly caFile?: string | undefined
  readonly credentialsFile?: string | undefined
  /** Origins, `https://host:port`, from which the registry may have callers get tokens, beside its own. */
  readonly tokenServers: readonly string[]
  readonly workspaceId?: number | undefined
}

const ORIGIN = /^https:\/\/(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::\d{1,5})?\/?$/
const origin = z
  .string()
  .refine(text => ORIGIN.test(text) && URL.canParse(text), 'must be https:// with a host, and no path')
  .transform(text => new URL(text).origin)
const file = z.string().min(1, 'must be a path')

const entry = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be a DNS label: at most 63 of a-z, 0-9 and "-"'),
    alias: z.string().max(100).optional(),
    url: origin,
    host: z
      .string()
      .regex(/^[A-Za-z0-9.[\]:-]+$/, 'must be host or host:port, as in image names')
      .optional(),
    caFile: file.optional(),
    credentialsFile: file.optional(),
    tokenServers: z.array(origin).default([]),
    workspaceId: z.int().min(1, 'must be the id of a workspace, from 1 on').optional(),
  })
  .transform(one => ({ ...one, alias: one.alias ?? one.name, host: one.host ?? new URL(one.url).host }))
const document = z.strictObject({ registries: z.array(entry).min(1, 'must have one registry or more') })

/**
 * Reads the text of the file: YAML or JSON with `registries`.
 * @param where the setting and the file
 * @throws ServiceSettingError with all that is wrong, by field
 */
export function parseRegistries(text: string, where: string): readonly RegistryEntry[] {
  let value: unknown
  try {
    value = parse(text)
  } catch (cause) {
    throw new ServiceSettingError(`${where} is neither YAML nor JSON`, { cause })
  }
  const { success, data, error } = document.safeParse(value)
  if (!success)
    throw new ServiceSettingError(
      `${where}: ${error.issues.map(({ path, message }) => `${fieldPath(path)}: ${message}`).join('; ')}`,
    )
  const names = data.registries.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new ServiceSettingError(`${where}: two registries are called ${twice}`)
  return data.registries
}

/** @throws ServiceSettingError when it cannot be read, and as `parseRegistries` */
export async function readRegistries(path: string): Promise<readonly RegistryEntry[]> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause)
    throw new ServiceSettingError(`registriesFile: ${words}`, { cause })
  }
  return parseRegistries(text, `registriesFile: ${path}`)
}
