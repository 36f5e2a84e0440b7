import { z } from 'zod'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import type { ClientContext } from '../client/client.js'
import { ExitCode } from '../exit-code.js'
import { oneLine } from '../print/printable.js'
import { yamlOf } from '../print/yaml.js'

/** `InspectInstanceResponse` */
const inspection = z.object({
  time: z.string().default(''),
  kind: z.string().default(''),
  record: z.record(z.string(), z.unknown()).default({}),
})

/** `kairship inspect instance NAME`: its state machine at work, a line for each transition, event and effect, until interrupted. */
export async function inspectInstance(
  { client, out, err, signal }: ClientContext,
  config: Config,
  name: string,
): Promise<ExitCode> {
  // An instance at rest does nothing for a long time: an empty screen would look like a broken command.
  err(`following the state machine of ${name}: a line for each event and effect, until Ctrl-C\n`)
  try {
    for await (const raw of jsonClient(InstanceService, client).inspectInstance({ name }, { signal })) {
      if (config.output === 'json') out(`${JSON.stringify(raw)}\n`)
      else if (config.output === 'yaml') out(`---\n${yamlOf(raw)}`)
      else {
        const { time, kind, record } = inspection.parse(raw)
        out(`${time.slice(11, 23)}   ${kind.padEnd(10)}   ${oneLine(fieldsOf(record))}\n`)
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return ExitCode.ok
}

const fieldsOf = (record: Readonly<Record<string, unknown>>): string =>
  Object.entries(record)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
