import { Alert, Button, FileButton, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { MayButton } from '../parts/may.js'
import { Problem } from '../parts/problem.js'
import { useAction } from '../parts/use-action.js'
import { useClusterWords } from '../words/clusters.js'
import { NO_FIELDS, readLabels, readTaints, readZones } from './cluster-fields.js'
import { ClusterForm, isRight } from './cluster-form.js'
import { service } from './clusters.js'

const route = getRouteApi('/instances/$name/join-cluster')

/** A kubeconfig has some kilobytes. */
const LARGEST_FILE = 1 << 20

/** Joins a cluster to an instance by its kubeconfig: checked by the server first, written after that. */
export function JoinScreen() {
  const { name: instance } = route.useParams()
  const words = useClusterWords()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [kubeconfig, setKubeconfig] = useState('')
  const [apiEndpoint, setApiEndpoint] = useState('')
  const [fields, setFields] = useState(NO_FIELDS)
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
  // What was checked: whoever changes something afterwards checks again.
  const form = JSON.stringify(request)
  const [checked, setChecked] = useState<string>()
  const check = useAction(async () => {
    await service.joinCluster({ ...request, dryRun: true })
    setChecked(form)
  })
  const join = useAction(async () => {
    await service.joinCluster(request)
    void navigate({
      to: '/instances/$name/clusters/$cluster',
      params: { name: instance, cluster: request.name },
    } as never)
  })
  const isComplete = request.name !== '' && kubeconfig.trim() !== '' && isRight(fields)
  const wanted = { verb: 'create', resource: 'instances/clusters', name: instance }
  const choose = (file: File | null) => {
    if (!file) return
    setTooLarge(file.size > LARGEST_FILE)
    if (file.size <= LARGEST_FILE) void file.text().then(setKubeconfig)
  }
  return (
    <Stack maw={820}>
      <Title order={2}>{words.join}</Title>
      <Text size="sm">{words.joinHelp}</Text>
      <TextInput
        label={words.name}
        required
        value={name}
        onChange={({ currentTarget: { value } }) => setName(value)}
        maw={360}
      />
      <Textarea
        label={words.kubeconfig}
        description={words.kubeconfigHelp}
        required
        value={kubeconfig}
        onChange={({ currentTarget: { value } }) => setKubeconfig(value)}
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
        onChange={({ currentTarget: { value } }) => setApiEndpoint(value)}
      />
      <ClusterForm fields={fields} change={setFields} />
      {(join.error ?? check.error) && <Problem error={(join.error ?? check.error) as Error} />}
      {checked === form && !join.error && (
        <Alert color="green" variant="outline" role="status">
          {words.checked(request.name)}
        </Alert>
      )}
      <Group>
        <MayButton
          wanted={wanted}
          variant={checked === form ? 'default' : 'filled'}
          disabled={!isComplete}
          loading={check.busy}
          onClick={() => void check.run()}
        >
          {words.check}
        </MayButton>
        <MayButton
          wanted={wanted}
          disabled={checked !== form}
          loading={join.busy}
          onClick={() => void join.run()}
        >
          {words.joinNow}
        </MayButton>
      </Group>
    </Stack>
  )
}
