import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { Problem } from '../failures/problem.js'
import { useAccessWords } from '../words/use-access-words.js'
import { Dialog } from '../writes/dialog.js'
import { useAct } from './act.js'
import { ChangePreview } from './change-preview.js'
import { type Preview, previewOf } from './role-requests.js'
import { type Binding, type BindingKind, bindings } from './sources.js'

/** Removes a role binding, after a preview of the effects. */
export function TakeRole({
  kind,
  binding,
  close,
}: {
  readonly kind: BindingKind
  readonly binding: Binding
  readonly close: () => void
}) {
  const access = useAccessWords()
  const { roles: words } = access
  const [preview, setPreview] = useState<Preview>()
  const { act, busy, problem } = useAct()
  const { name, on } = binding
  return (
    <Dialog onClose={close} title={words.takeTitle(name)} size="lg">
      <Stack>
        {preview && <ChangePreview preview={preview} />}
        {problem && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button
            variant="default"
            loading={busy && !preview}
            onClick={() =>
              act(
                async () => setPreview(await previewOf(kind, { name, on })),
                () => undefined,
              )
            }
          >
            {words.preview}
          </Button>
          <Button
            color="red"
            loading={busy && preview !== undefined}
            onClick={() =>
              act(
                () =>
                  kind === 'instances'
                    ? bindings.deleteInstanceRoleBinding({ name })
                    : bindings.deleteWorkspaceRoleBinding({ name }),
                close,
              )
            }
          >
            {words.take}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
