import { Anchor, Group, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { serviceClient } from '../../client/service-client.js'
import { CloudShellService, type CloudShell as Shell } from '../../proto/gen/kairship/cloudshell_pb.js'
import { rest } from '../connection/rest.js'
import { Problem } from '../failures/problem.js'
import { Section } from '../parts/section.js'
import { MayButton } from '../rights/may.js'
import { useSettingWords } from '../words/settings.js'
import { useAction } from '../writes/use-action.js'

const shells = serviceClient(CloudShellService, rest)

/** A pod has to start; there is no watch of terminals. Milliseconds, and how often. */
const LOOK_MS = 2_000
const MOST_LOOKS = 30

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
  const look = useAction(async () => {
    try {
      setShell(await shells.getCloudShell({ instance, name: shell?.metadata?.name ?? '' }))
    } finally {
      setLooks(count => count + 1)
    }
  })
  const address = addressOf(shell)
  const isWaiting = shell !== undefined && address === undefined && looks < MOST_LOOKS
  // biome-ignore lint/correctness/useExhaustiveDependencies: each look is the reason for the next
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(() => void look.run(), LOOK_MS)
    return () => clearTimeout(timer)
  }, [isWaiting, looks])
  const wanted = { resource: 'instances/cloudshells', name: instance }
  const problem = start.error ?? look.error ?? end.error
  return (
    <Section title={words.title}>
      <Stack gap="sm">
        <Text size="sm">{words.help}</Text>
        {problem && <Problem error={problem} />}
        {isWaiting && (
          <Text size="sm" role="status">
            {words.waiting}
          </Text>
        )}
        {shell && !address && looks >= MOST_LOOKS && <Text size="sm">{words.late}</Text>}
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
            <MayButton
              wanted={{ ...wanted, verb: 'create' }}
              size="xs"
              variant="default"
              loading={start.busy}
              onClick={() => void start.run()}
            >
              {words.start}
            </MayButton>
          )}
        </Group>
      </Stack>
    </Section>
  )
}

/** Where the terminal is: a web address, and nothing else that a link could do. */
function addressOf(shell: Shell | undefined): string | undefined {
  const { phase, accessUrl = '' } = shell?.status ?? {}
  if (phase !== 'Ready' || accessUrl === '') return undefined
  const url = /^https?:\/\//.test(accessUrl) ? accessUrl : `http://${accessUrl}`
  return URL.canParse(url) ? url : undefined
}
