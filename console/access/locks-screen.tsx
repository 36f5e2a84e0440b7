import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { AccessLock } from '../../proto/gen/kairship/accesslock_pb.js'
import { Problem } from '../failures/problem.js'
import { DraftNotice, useFormDraft } from '../forms/form-draft.js'
import { useLive } from '../live/use-live.js'
import { shownName } from '../parts/shown-name.js'
import { MayButton } from '../rights/may.js'
import { RefusableButton } from '../rights/refusable-button.js'
import { LiveTable } from '../tables/live-table.js'
import { useNotYetWords } from '../words/not-yet.js'
import { useAccessWords } from '../words/use-access-words.js'
import { Dialog } from '../writes/dialog.js'
import { Moment } from './account-screen.js'
import { useAct } from './act.js'
import { accessLocks, locks } from './sources.js'

const route = getRouteApi('/access/locks')

/** The access locks, live, with buttons to add and lift them. */
export function LocksScreen() {
  const access = useAccessWords()
  const { locks: words } = access
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const live = useLive(accessLocks, [])
  const [isLocking, setLocking] = useState(false)
  const [lifted, setLifted] = useState<AccessLock>()
  const who = ({ user, group, tokenId, instance }: AccessLock): string =>
    user || group || tokenId
      ? [
          user && `${words.user} ${shownName(user)}`,
          group && `${words.group} ${shownName(group)}`,
          tokenId && `${words.token} ${tokenId}`,
          instance && `${words.instance} ${instance}`,
        ]
          .filter(Boolean)
          .join(' · ')
      : words.everyone(instance)
  return (
    <>
      <LockOut opened={isLocking} close={() => setLocking(false)} />
      {lifted && <Lift lock={lifted} close={() => setLifted(undefined)} />}
      <LiveTable
        label={access.tabs.locks}
        live={live}
        keyOf={({ name }) => name}
        search={search}
        change={next => void navigate({ search: next, replace: true })}
        finds={false}
        empty={words.empty}
        tools={
          <MayButton wanted={{ verb: 'create', resource: 'accesslocks' }} onClick={() => setLocking(true)}>
            {words.lock}
          </MayButton>
        }
        columns={[
          { title: words.columns.name, cell: ({ name }) => name },
          { title: words.columns.who, cell: who },
          { title: words.columns.message, cell: ({ message }) => message },
          {
            title: words.columns.end,
            cell: ({ expiresAt }) =>
              Number(expiresAt) > 0 ? <Moment time={Number(expiresAt)} /> : access.never,
          },
          { title: words.columns.by, cell: ({ createdBy }) => createdBy || access.nobody },
          {
            title: words.columns.act,
            cell: lock => (
              <MayButton
                wanted={{ verb: 'delete', resource: 'accesslocks', name: lock.name }}
                size="compact-sm"
                variant="default"
                aria-label={`${words.unlock} ${lock.name}`}
                onClick={() => setLifted(lock)}
              >
                {words.unlock}
              </MayButton>
            ),
          },
        ]}
      />
    </>
  )
}

const NOTHING = { name: '', user: '', group: '', tokenId: '', instance: '', message: '', until: '' }

function LockOut({ opened, close }: { readonly opened: boolean; readonly close: () => void }) {
  const access = useAccessWords()
  const { locks: words } = access
  const notYet = useNotYetWords()
  const draft = useFormDraft('lock', NOTHING)
  const { fields: typed, set: setTyped } = draft
  const { act, busy, problem } = useAct()
  const field = (name: keyof typeof NOTHING, label: string) => (
    <TextInput
      label={label}
      value={typed[name]}
      onChange={({ currentTarget: { value } }) => setTyped(before => ({ ...before, [name]: value }))}
      {...(name === 'instance' && { description: words.instanceHelp })}
      {...(name === 'until' && { type: 'datetime-local' })}
      required={name === 'name'}
    />
  )
  const { until, ...lock } = typed
  const isOfSomebody = [typed.user, typed.group, typed.tokenId, typed.instance].some(text => text !== '')
  const refusal =
    typed.name === ''
      ? notYet.fill([words.name])
      : isOfSomebody
        ? undefined
        : notYet.oneOf([words.user, words.group, words.token, words.instance])
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={words.lock}
      closeButtonProps={{ 'aria-label': access.cancel }}
    >
      <Stack
        component="form"
        onSubmit={event => {
          event.preventDefault()
          const expiresAt = until === '' ? 0n : BigInt(new Date(until).getTime())
          act(
            () => locks.createAccessLock({ ...lock, expiresAt }),
            () => {
              draft.discard()
              close()
            },
          )
        }}
      >
        <Text size="sm" c="dimmed">
          {words.help}
        </Text>
        <DraftNotice of={draft} label={words.lock} />
        {field('name', words.name)}
        {field('user', words.user)}
        {field('group', words.group)}
        {field('tokenId', words.token)}
        {field('instance', words.instance)}
        {field('message', words.message)}
        {field('until', access.roles.expires)}
        {problem && <Problem error={problem} />}
        <RefusableButton type="submit" color="red" loading={busy} refusal={refusal}>
          {words.lock}
        </RefusableButton>
      </Stack>
    </Modal>
  )
}

function Lift({ lock: { name }, close }: { readonly lock: AccessLock; readonly close: () => void }) {
  const access = useAccessWords()
  const { locks: words } = access
  const { act, busy, problem } = useAct()
  return (
    <Dialog onClose={close} title={words.unlockTitle(name)}>
      <Stack>
        <Text size="sm">{words.unlockText}</Text>
        {problem && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {access.cancel}
          </Button>
          <RefusableButton
            refusal={undefined}
            loading={busy}
            onClick={() => act(() => locks.deleteAccessLock({ name }), close)}
          >
            {words.unlock}
          </RefusableButton>
        </Group>
      </Stack>
    </Dialog>
  )
}
