import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DescFile } from '@bufbuild/protobuf'

const folder = join(import.meta.dirname, '../../proto/gen/kairship')

/** The generated descriptors of every .proto file of ours, found by their files: a new one is tested without being listed. Compiled or not. */
export const files: readonly DescFile[] = await Promise.all(
  readdirSync(folder)
    .filter(name => /_pb\.[tj]s$/.test(name))
    .map(async name => {
      const generated = (await import(join(folder, name))) as Readonly<Record<string, DescFile>>
      return generated[`file_kairship_${name.replace(/_pb\.[tj]s$/, '')}`]!
    }),
)

/** Every service that the .proto files describe, served or not. */
export const services = files.flatMap(file => file.services)
