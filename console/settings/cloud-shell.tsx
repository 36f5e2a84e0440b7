import { Anchor, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError } from '../../client/errors.js'
import { serviceClient } from '../../client/service-client.js'
import { CloudShellService, type CloudShell as Shell } from '../../proto/gen/kairship/cloudshell_pb.js'
import { rest } from '../connection/rest.js'
import { Problem } from '../failures/problem.js'
import { Section } from '../parts/section.js'
import { MayButton } from '../rights/may.js'
import { useSettingWords } from '../words/settings.js'
import { useAction } from '../writes/use-action.js'

const shells = serviceClient(CloudShellService, rest)

/** The pause between two reads of a starting terminal, milliseconds, and the most reads. Terminals have no watch. */
const READ_MS = 2_000
const MOST_READS = 30
/** The name of no terminal: Kairship names them after their instance. */
const PROBE = 'is-served'

/**
 * Whether the host has CloudTTY. The answer to a read of a terminal that does not exist says it. Any other refusal counts as yes: the buttons
 * explain those.
 */
async function areServed(instance: string, signal: AbortSignal): Promise<boolean> {
  try {
    await shells.getCloudShell({ instance, name: PROBE }, { signal })
  } catch (error) {
    if (error instanceof ApiError) return error.reason !== 'NoCloudShells'
    throw error
  }
  return true
}

/** A terminal with kubectl for the instance, where the host has CloudTTY. */
export function CloudShell({ instance }: { readonly instance: string }) {
  const { shell: words } = useSettingWords()
  const [shell, setShell] = useState<Shell>()
  const [looks, setLooks] = useState(0)
  const start = useAction(async () => {
    setLooks(0)
    setShell(await shells.createCloudShell({ instance, data: { spec: { cleanup: true } } }))
  })
  const end = useAction(async () => {
    await shells.deleteCloudShell({ instance, name: shell?.metadata?.name ?? '' })
    setShell(undefined)
  })
  const read = useAction(async () => {
    try {
      setShell(await shells.getCloudShell({ instance, name: shell?.metadata?.name ?? '' }))
    } finally {
      setLooks(count => count + 1)
    }
  })
  const { data: isServed, isPending } = useQuery({
    queryKey: ['cloudshells', instance],
    queryFn: ({ signal }) => areServed(instance, signal),
    // CloudTTY may be installed between two visits of the screen.
    staleTime: 0,
    gcTime: 0,
  })
  const address = addressOf(shell)
  const isWaiting = shell !== undefined && address === undefined && looks < MOST_READS
  // biome-ignore lint/correctness/useExhaustiveDependencies: each read schedules the next
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(() => void read.run(), READ_MS)
    return () => clearTimeout(timer)
  }, [isWaiting, looks])
  const wanted = { resource: 'instances/cloudshells', name: instance }
  const problem = start.error ?? read.error ?? end.error
  return (
    <Section title={words.title}>
      <Stack gap="sm">
        <Text size="sm">{words.help}</Text>
        {isServed === false && <Text size="sm">{words.none}</Text>}
        {problem && <Problem error={problem} />}
        {isWaiting && (
          <Text size="sm" role="status">
            {words.waiting}
          </Text>
        )}
        {shell && !address && looks >= MOST_READS && <Text size="sm">{words.late}</Text>}
        <Group>
          {address && (
            <Anchor href={address} target="_blank" rel="noopener noreferrer" size="sm">
              {words.open}
            </Anchor>
          )}
          {shell ? (
            <MayButton
              wanted={{ ...wanted, verb: 'delete' }}
              size="xs"
              variant="default"
              loading={end.busy}
              onClick={() => void end.run()}
            >
              {words.end}
            </MayButton>
          ) : (
            !isPending &&
            isServed !== false && (
              <MayButton
                wanted={{ ...wanted, verb: 'create' }}
                size="xs"
                variant="default"
                loading={start.busy}
                onClick={() => void start.run()}
              >
                {words.start}
              </MayButton>
            )
          )}
        </Group>
      </Stack>
    </Section>
  )
}

/** The terminal's address, only if it is a web address: other links could run scripts. */
function addressOf(shell: Shell | undefined): string | undefined {
  const { phase, accessUrl = '' } = shell?.status ?? {}
  if (phase !== 'Ready' || accessUrl === '') return undefined
  const url = /^https?:\/\//.test(accessUrl) ? accessUrl : `http://${accessUrl}`
  return URL.canParse(url) ? url : undefined
}
