import { Group } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Problem } from '../failures/problem.js'
import { type WorkloadKind, workloadType } from '../kube/workload-kinds.js'
import { MayButton } from '../rights/may.js'
import { useObjectWords } from '../words/objects.js'
import { DeleteDialog } from '../writes/delete-dialog.js'
import { useWrite } from '../writes/use-write.js'
import { RollbackDialog } from './rollback-dialog.js'
import { ScaleDialog } from './scale-dialog.js'
import type { Workload } from './workload.js'
import { writes } from './writes.js'

/** The buttons of a workload. Buttons that the caller may not use say why. */
export function WorkloadActions({
  instance,
  kind,
  workload,
  edit,
}: {
  readonly instance: string
  readonly kind: WorkloadKind
  readonly workload: Workload
  readonly edit: () => void
}) {
  const words = useObjectWords()
  const navigate = useNavigate()
  const { metadata, isPaused } = workload
  const [namespace, name] = [metadata?.namespace ?? '', metadata?.name ?? '']
  const { busy: isBusy, error: problem, run: start } = useWrite()
  const [open, setOpen] = useState<'scale' | 'rollBack' | 'delete'>()
  const close = () => setOpen(undefined)
  const type = workloadType(kind)
  const request = { instance, namespace, name }
  const { scale, restart, pause, resume, revisions, rollBack } = writes[kind]
  const one = { instance, ...type, namespace, name }
  const patch = { ...one, verb: 'patch' }
  // A Job runs again when it is created again.
  const again = kind === 'jobs' ? { instance, ...type, namespace, verb: 'create' } : patch
  const look = { size: 'xs', variant: 'default', disabled: isBusy } as const
  return (
    <>
      <Group gap="xs" role="group" aria-label={words.actions}>
        <MayButton {...look} wanted={{ ...one, verb: 'update' }} onClick={edit}>
          {words.edit}
        </MayButton>
        {scale && (
          <MayButton {...look} wanted={patch} onClick={() => setOpen('scale')}>
            {words.scale}
          </MayButton>
        )}
        {restart && (
          <MayButton {...look} wanted={again} onClick={() => void start(() => restart(request))}>
            {words.restart}
          </MayButton>
        )}
        {pause && resume && (
          <MayButton
            {...look}
            wanted={patch}
            onClick={() => void start(() => (isPaused ? resume : pause)(request))}
          >
            {isPaused ? words.resume : words.pause}
          </MayButton>
        )}
        {revisions && rollBack && (
          <MayButton {...look} wanted={patch} onClick={() => setOpen('rollBack')}>
            {words.rollBack}
          </MayButton>
        )}
        <MayButton
          {...look}
          color="red"
          variant="outline"
          wanted={{ ...one, verb: 'delete' }}
          onClick={() => setOpen('delete')}
        >
          {words.delete}
        </MayButton>
      </Group>
      {problem && <Problem error={problem} />}
      {open === 'scale' && scale && (
        <ScaleDialog
          name={name}
          clusters={workload.clusters}
          instance={instance}
          at={{ type, namespace, name }}
          scale={replicas => scale({ ...request, replicas })}
          close={close}
        />
      )}
      {open === 'rollBack' && revisions && rollBack && (
        <RollbackDialog
          name={name}
          revisions={signal => revisions(request, signal)}
          rollBack={(revision, dryRun) =>
            rollBack({ ...request, revision, dryRun, resourceVersion: metadata?.resourceVersion ?? '' })
          }
          close={close}
        />
      )}
      {open === 'delete' && (
        <DeleteDialog
          instance={instance}
          at={{ type, namespace, name }}
          uid={metadata?.uid ?? ''}
          clusters={workload.clusters}
          close={close}
          done={() =>
            void navigate({
              to: '/instances/$name/workloads',
              params: { name: instance },
              search: kind === 'deployments' ? {} : { kind },
            } as never)
          }
        />
      )}
    </>
  )
}
