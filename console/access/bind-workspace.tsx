import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Action, type WorkspaceInstance } from '../../proto/gen/kairship/workspace_pb.js'
import { Problem } from '../failures/problem.js'
import { RefusableButton } from '../rights/refusable-button.js'
import { useNotYetWords } from '../words/not-yet.js'
import { useAccessWords } from '../words/use-access-words.js'
import { Dialog } from '../writes/dialog.js'
import { useAction } from '../writes/use-action.js'
import { workspaces } from './sources.js'

/** The most workspaces to choose from. */
const MOST_WORKSPACES = 500

/** Binds an instance to a workspace, or releases it. A preview shows first whose roles begin or end with that. */
export function BindWorkspace({
  bound: { instance, workspace },
  close,
}: {
  readonly bound: WorkspaceInstance
  readonly close: () => void
}) {
  const access = useAccessWords()
  const notYet = useNotYetWords()
  const { workspaces: words } = access
  const current = workspace?.workspace ?? ''
  const isBound = current !== ''
  const [chosen, setChosen] = useState<string | null>(null)
  const offered = useQuery({
    queryKey: ['workspaces'],
    queryFn: ({ signal }) => workspaces.listWorkspaces({ pageSize: MOST_WORKSPACES }, { signal }),
    enabled: !isBound,
  })
  const change = useAction(async () => {
    const of = isBound ? current : (chosen ?? '')
    const action = isBound ? Action.UNBIND : Action.BIND
    await workspaces.bindInstances({ instance, workspace: { workspace: of }, action })
    close()
  })
  const problem = change.error ?? offered.error
  return (
    <Dialog
      onClose={close}
      title={isBound ? words.releaseTitle(instance, current) : words.bindTitle(instance)}
    >
      <Stack>
        <Text size="sm">{isBound ? words.releases(current) : words.binds}</Text>
        {!isBound && (
          <Select
            label={words.of}
            value={chosen}
            onChange={setChosen}
            data={(offered.data?.items ?? []).map(({ workspace: name }) => name)}
            searchable
            data-autofocus
          />
        )}
        {problem && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {access.cancel}
          </Button>
          <RefusableButton
            {...(isBound && { color: 'red' })}
            refusal={!isBound && chosen === null ? notYet.choose(words.of) : undefined}
            loading={change.busy}
            onClick={() => void change.run()}
          >
            {isBound ? words.release : words.bind}
          </RefusableButton>
        </Group>
      </Stack>
    </Dialog>
  )
}
