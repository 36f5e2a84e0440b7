import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Problem } from '../failures/problem.js'
import type { KubeApi } from '../kube/kube-api.js'
import { type ObjectAddress, objectPath } from '../kube/object.js'
import { RefusableButton } from '../rights/refusable-button.js'
import { usePolicyWords } from '../words/policies.js'
import { type PolicyKind, policyKinds } from './policy-kinds.js'

/** Confirms the deletion of a policy and says what follows. A policy that was recreated meanwhile is not deleted. */
export function RemovePolicy({
  api,
  at,
  uid,
  kind,
  isOpen,
  close,
  done,
}: {
  readonly api: KubeApi
  readonly at: ObjectAddress
  readonly uid: string
  readonly kind: PolicyKind
  readonly isOpen: boolean
  readonly close: () => void
  readonly done: () => void
}) {
  const words = usePolicyWords()
  const [isUnderWay, setUnderWay] = useState(false)
  const [problem, setProblem] = useState<Error>()
  const remove = async () => {
    setUnderWay(true)
    setProblem(undefined)
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } })
    try {
      await api.request('DELETE', objectPath(at), { body: { type: 'application/json', text } })
      done()
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error(String(error)))
      setUnderWay(false)
    }
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={words.removeTitle(`${at.type.kind} ${at.name}`)}
      closeButtonProps={{ 'aria-label': words.keep }}
    >
      <Stack>
        <Text size="sm">{policyKinds[kind].isOverride ? words.removeOverride : words.removePropagation}</Text>
        {problem && <Problem error={problem} />}
        <Group>
          <RefusableButton refusal={undefined} color="red" loading={isUnderWay} onClick={() => void remove()}>
            {words.remove}
          </RefusableButton>
          <Button variant="default" disabled={isUnderWay} onClick={close}>
            {words.keep}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
