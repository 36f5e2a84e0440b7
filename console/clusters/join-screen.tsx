import { Alert, Button, FileButton, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { DraftNotice, useFormDraft } from '../forms/form-draft.js'
import { RefusalNotice } from '../rights/may.js'
import { useClusterWords } from '../words/clusters.js'
import { useNotYetWords } from '../words/not-yet.js'
import { CheckThenWrite, useCheckedWrite } from '../writes/checked-write.js'
import { NO_FIELDS, readLabels, readTaints, readZones } from './cluster-fields.js'
import { ClusterForm, isRight } from './cluster-form.js'
import { service } from './clusters.js'

const route = getRouteApi('/instances/$name/join-cluster')

const NOTHING = { name: '', kubeconfig: '', apiEndpoint: '', fields: NO_FIELDS }

/** The largest file, bytes: a kubeconfig has some kilobytes. */
const LARGEST_FILE = 1 << 20

/** Joins a cluster to an instance by its kubeconfig. The server checks it by a dry run first. */
export function JoinScreen() {
  const { name: instance } = route.useParams()
  const words = useClusterWords()
  const notYet = useNotYetWords()
  const navigate = useNavigate()
  const draft = useFormDraft(`join ${instance}`, NOTHING)
  const { name, kubeconfig, apiEndpoint, fields } = draft.fields
  const set = (part: Partial<typeof NOTHING>) => draft.set(before => ({ ...before, ...part }))
  const [tooLarge, setTooLarge] = useState(false)
  const request = {
    instance,
    name: name.trim(),
    kubeconfig,
    cluster: {
      metadata: { labels: readLabels(fields.labels).value },
      spec: {
        apiEndpoint: apiEndpoint.trim(),
        providerName: fields.provider.trim(),
        region: fields.region.trim(),
        zones: readZones(fields.zones),
        taints: [...readTaints(fields.taints).value],
      },
    },
  }
  const checkedWrite = useCheckedWrite(
    JSON.stringify(request),
    () => service.joinCluster({ ...request, dryRun: true }),
    async () => {
      await service.joinCluster(request)
      draft.forget()
      void navigate({
        to: '/instances/$name/clusters/$cluster',
        params: { name: instance, cluster: request.name },
      } as never)
    },
  )
  const missing = [request.name === '' && words.name, kubeconfig.trim() === '' && words.kubeconfig].filter(
    field => field !== false,
  )
  const wanted = { verb: 'create', resource: 'instances/clusters', name: instance }
  const choose = (file: File | null) => {
    if (!file) return
    setTooLarge(file.size > LARGEST_FILE)
    if (file.size <= LARGEST_FILE) void file.text().then(text => set({ kubeconfig: text }))
  }
  return (
    <Stack maw={820}>
      <Title order={2}>{words.join}</Title>
      <Text size="sm">{words.joinHelp}</Text>
      <RefusalNotice wanted={wanted} />
      <DraftNotice of={draft} label={words.join} />
      <TextInput
        label={words.name}
        required
        value={name}
        onChange={({ currentTarget: { value } }) => set({ name: value })}
        maw={360}
      />
      <Textarea
        label={words.kubeconfig}
        description={words.kubeconfigHelp}
        required
        value={kubeconfig}
        onChange={({ currentTarget: { value } }) => set({ kubeconfig: value })}
        autosize
        minRows={5}
        maxRows={12}
        autoComplete="off"
        spellCheck={false}
        error={tooLarge ? words.tooLarge : undefined}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <FileButton onChange={choose}>
        {props => (
          <Button {...props} variant="default" size="xs" w="fit-content">
            {words.upload}
          </Button>
        )}
      </FileButton>
      <TextInput
        label={words.endpoint}
        description={words.endpointHelp}
        placeholder="https://"
        value={apiEndpoint}
        onChange={({ currentTarget: { value } }) => set({ apiEndpoint: value })}
      />
      <ClusterForm fields={fields} change={next => set({ fields: next })} />
      <CheckThenWrite
        of={checkedWrite}
        wanted={wanted}
        notYet={missing.length > 0 ? notYet.fill(missing) : isRight(fields) ? undefined : notYet.wrong}
        words={{ check: words.check, write: words.joinNow }}
        accepted={
          <Alert color="green" variant="outline" role="status">
            {words.checked(request.name)}
          </Alert>
        }
      />
    </Stack>
  )
}
