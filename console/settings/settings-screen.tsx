import { SimpleGrid, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { instances } from '../connection/instance-service.js'
import { Problem } from '../failures/problem.js'
import { useSettingWords } from '../words/settings.js'
import { CloudShell } from './cloud-shell.js'
import { DeleteInstance } from './delete-instance.js'
import { KarmadaSetting } from './karmada-setting.js'
import { Kubeconfigs } from './kubeconfigs.js'
import { messageOf, timesOf } from './setting.js'

const route = getRouteApi('/instances/$name/settings')

/** The settings of an instance, its kubeconfigs, and its deletion. */
export function SettingsScreen() {
  const { name: instance } = route.useParams()
  const words = useSettingWords()
  const { data, error, refetch } = useQuery({
    queryKey: ['instance', instance],
    queryFn: ({ signal }) => instances.getInstance({ name: instance }, { signal }),
  })
  const isAdopted = data?.spec?.kubeconfigSecretRef !== undefined
  const { title: failoverTitle, help: failoverHelp, ...failoverFields } = words.failover
  const { title: deschedulerTitle, help: deschedulerHelp, ...deschedulerFields } = words.descheduler
  const of = { instance, isAdopted }
  return (
    <Stack>
      <Title order={2}>{words.title}</Title>
      {error && <Problem error={error} retry={() => void refetch()} />}
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Kubeconfigs instance={instance} />
        {data && (
          <>
            <KarmadaSetting
              {...of}
              name="failover"
              title={failoverTitle}
              help={failoverHelp}
              fields={failoverFields}
              read={async signal => {
                const { enabled, timeout } = await instances.getInstanceFailover({ instance }, { signal })
                return { enabled, times: timesOf(timeout) }
              }}
              write={({ enabled, times }, { dryRun }) =>
                instances.updateInstanceFailover({ instance, enabled, timeout: messageOf(times), dryRun })
              }
            />
            <KarmadaSetting
              {...of}
              name="descheduler"
              title={deschedulerTitle}
              help={deschedulerHelp}
              fields={deschedulerFields}
              read={async signal => {
                const { enabled, timeout } = await instances.getInstanceDescheduler({ instance }, { signal })
                return { enabled, times: timesOf(timeout) }
              }}
              write={({ enabled, times }, { dryRun }) =>
                instances.updateInstanceDescheduler({ instance, enabled, timeout: messageOf(times), dryRun })
              }
            />
            <KarmadaSetting
              {...of}
              name="metricsadapter"
              title={words.metricsAdapter.title}
              help={words.metricsAdapter.help}
              fields={{}}
              read={async signal => {
                const { enabled } = await instances.getInstanceMetricsAdapter({ instance }, { signal })
                return { enabled, times: {} }
              }}
              write={({ enabled }, { dryRun }) =>
                instances.updateInstanceMetricsAdapter({ instance, enabled, dryRun })
              }
            />
          </>
        )}
        <CloudShell instance={instance} />
        {data && <DeleteInstance instance={data} />}
      </SimpleGrid>
    </Stack>
  )
}
