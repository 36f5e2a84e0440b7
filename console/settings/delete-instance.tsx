import { List, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Instance } from '../../proto/gen/kairship/instance_pb.js'
import { instances } from '../connection/instance-service.js'
import { Section } from '../parts/section.js'
import { MayButton } from '../rights/may.js'
import { useSettingWords } from '../words/settings.js'
import { useWords } from '../words/use-words.js'
import { Dialog } from '../writes/dialog.js'
import { RemovalForm } from '../writes/removal-form.js'
import { useAction } from '../writes/use-action.js'

/** Deletes an instance and lists what is removed with it and what stays. */
export function DeleteInstance({ instance }: { readonly instance: Instance }) {
  const { remove: words } = useSettingWords()
  const [isOpen, setOpen] = useState(false)
  const name = instance.metadata?.name ?? ''
  return (
    <Section title={words.title}>
      <Stack gap="sm">
        <Consequences instance={instance} />
        <MayButton
          wanted={{ verb: 'delete', resource: 'instances', name }}
          size="xs"
          color="red"
          variant="outline"
          w="fit-content"
          onClick={() => setOpen(true)}
        >
          {words.open}
        </MayButton>
      </Stack>
      {isOpen && <Confirm instance={instance} name={name} close={() => setOpen(false)} />}
    </Section>
  )
}

function Confirm({
  instance,
  name,
  close,
}: {
  readonly instance: Instance
  readonly name: string
  readonly close: () => void
}) {
  const { remove: words } = useSettingWords()
  const navigate = useNavigate()
  const remove = useAction(async () => {
    await instances.deleteInstance({ name })
    void navigate({ to: '/instances' })
  })
  return (
    <Dialog onClose={close} title={words.heading(name)} size="lg">
      <RemovalForm
        name={name}
        words={{ ...words, remove: words.confirm }}
        error={remove.error}
        busy={remove.busy}
        remove={() => void remove.run()}
        close={close}
      >
        <Consequences instance={instance} />
      </RemovalForm>
    </Dialog>
  )
}

/** What is removed with an instance, and what stays. */
function Consequences({ instance: { spec, status } }: { readonly instance: Instance }) {
  const { remove: words } = useSettingWords()
  const { joint } = useWords()
  const { clusterSummary, resourceTotalNum = {} } = status?.summary ?? {}
  const objects = Object.entries(resourceTotalNum)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
  const fate = spec?.kubeconfigSecretRef
    ? words.adopted
    : spec?.deletionPolicy === 'Delete'
      ? words.deleted
      : words.retained
  return (
    <List size="sm">
      <List.Item>{words.registration}</List.Item>
      <List.Item>
        <Text size="sm" fw={600}>
          {fate}
        </Text>
      </List.Item>
      <List.Item>{words.clusters(clusterSummary?.totalNum ?? 0)}</List.Item>
      <List.Item>{objects.length > 0 ? words.objects(joint.names(objects)) : words.none}</List.Item>
    </List>
  )
}
