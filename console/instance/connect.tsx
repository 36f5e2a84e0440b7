import { Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core'
import { useWords } from '../words/use-words.js'

/** The command that adds the instance to the user's kubeconfig. */
export function Connect({ name }: { readonly name: string }) {
  const { instance } = useWords()
  const command = `kairship kubeconfig ${name} --merge`
  return (
    <Stack gap="xs">
      <Text size="sm">{instance.connectHelp}</Text>
      <Group wrap="nowrap">
        <Code block tabIndex={0} flex={1}>
          {command}
        </Code>
        <CopyButton value={command}>
          {({ copied, copy }) => (
            <Button variant="default" size="xs" onClick={copy}>
              {copied ? instance.copied : instance.copy}
            </Button>
          )}
        </CopyButton>
      </Group>
    </Stack>
  )
}
