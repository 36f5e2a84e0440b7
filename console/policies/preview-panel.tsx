import { Alert, Anchor, Badge, Button, Group, List, Paper, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMemo } from 'react'
import { ApiError } from '../../client/errors.js'
import { serviceClient } from '../../client/service-client.js'
import {
  TemplatePreview_Claim as Claim,
  PlacementService,
  type PreviewPolicyResponse,
  type TemplatePreview,
} from '../../proto/gen/kairship/placement_pb.js'
import { rest } from '../connection/rest.js'
import { FailureWords } from '../failures/failure-words.js'
import { ServerWords } from '../failures/server-words.js'
import { useLatestAnswer } from '../live/use-latest-answer.js'
import { Dot } from '../parts/dot.js'
import { Ago } from '../parts/time.js'
import { PlacementTable } from '../propagation/placement-table.js'
import { usePolicyWords } from '../words/policies.js'
import { ManifestChanges } from './manifest-changes.js'

const placement = serviceClient(PlacementService, rest)

/** Templates that are shown at first. */
const SHOWN = 10

/** A preview of a policy's text. It is requested after a pause in typing, for the newest text only. */
export function PreviewPanel({
  instance,
  text,
  title,
}: {
  readonly instance: string
  readonly text: string
  /** The title where the policy is not being edited. */
  readonly title?: string
}) {
  const words = usePolicyWords()
  const answerTo = useMemo(
    () => (data: string, signal: AbortSignal) => placement.previewPolicy({ instance, data }, { signal }),
    [instance],
  )
  const { answer, question, answeredAt, problem, isLoading, retry } = useLatestAnswer(
    text.trim() === '' ? undefined : text,
    answerTo,
  )
  const isCurrent = answer !== undefined && !isLoading && !problem
  const state = isLoading ? words.previewing : problem ? words.previewFailed : words.previewed
  return (
    <Stack component="section" aria-label={title ?? words.preview} gap="sm">
      <Group justify="space-between">
        <Title order={3} size="h4">
          {title ?? words.preview}
        </Title>
        <Group gap={6}>
          <Group gap={6} role="status">
            <Dot color={isLoading ? 'blue' : problem ? 'red' : answer ? 'green' : 'gray'} />
            <Text size="sm">{state}</Text>
          </Group>
          {isCurrent && (
            <>
              {/* Outside of the status, which screen readers read after each change: the age changes each second. */}
              <Text size="sm" component="span">
                <Ago time={answeredAt ?? 0} />
              </Text>
              <Anchor component="button" type="button" size="sm" onClick={retry}>
                {words.anew}
              </Anchor>
            </>
          )}
        </Group>
      </Group>
      {problem && (
        <Alert color="red" variant="outline" title={words.previewFailed}>
          <Stack gap="xs" align="flex-start">
            <Refusal problem={problem} />
            <Button size="xs" variant="default" onClick={retry}>
              {words.again}
            </Button>
          </Stack>
        </Alert>
      )}
      {answer && (
        <div style={{ opacity: question === text ? 1 : 0.85 }}>
          {question !== text && (
            <Text size="sm" mb="xs">
              {words.older}
            </Text>
          )}
          <Preview answer={answer} />
        </div>
      )}
    </Stack>
  )
}

/** The refusal of a policy's text, a line for each wrong field. */
function Refusal({ problem }: { readonly problem: Error }) {
  const violations = problem instanceof ApiError ? problem.violations : []
  if (violations.length === 0) return <FailureWords error={problem} />
  return (
    <List size="sm">
      {violations.map(({ field, description }) => (
        <List.Item key={`${field} ${description}`} style={{ overflowWrap: 'anywhere' }}>
          <strong>{field.replace(/^data\./, '')}</strong> <span lang="en">{description}</span>
        </List.Item>
      ))}
    </List>
  )
}

/** The effects of a policy on each selected template. */
function Preview({ answer }: { readonly answer: PreviewPolicyResponse }) {
  const words = usePolicyWords()
  const [isAll, { open }] = useDisclosure()
  const { templates, total, unread } = answer
  const shown = isAll ? templates : templates.slice(0, SHOWN)
  return (
    <Stack gap="sm">
      <Text size="sm">{total === 0 ? words.selectsNothing : words.selects(total)}</Text>
      {shown.map(template => (
        <Template key={`${template.template?.kind} ${nameOf(template)}`} preview={template} />
      ))}
      {shown.length < templates.length && (
        <Button variant="default" size="xs" onClick={open}>
          {words.all(templates.length)}
        </Button>
      )}
      {templates.length < total && <Text size="sm">{words.firstOf(templates.length, total)}</Text>}
      {unread.map(sentence => (
        <Text key={sentence} size="sm" c="dimmed">
          <ServerWords text={sentence} />
        </Text>
      ))}
    </Stack>
  )
}

const nameOf = ({ template }: TemplatePreview): string =>
  [template?.namespace, template?.name].filter(Boolean).join('/')

const claims = {
  [Claim.CLAIM_UNSPECIFIED]: undefined,
  [Claim.CLAIMS]: { word: 'claims', color: 'blue' },
  [Claim.KEEPS]: { word: 'keeps', color: 'green' },
  [Claim.PREEMPTS]: { word: 'preempts', color: 'orange' },
  [Claim.HELD_BY_OTHER]: { word: 'heldByOther', color: 'gray' },
  [Claim.OUTRANKED]: { word: 'outranked', color: 'gray' },
} as const

function Template({ preview }: { readonly preview: TemplatePreview }) {
  const words = usePolicyWords()
  const { template, claim, other, placement, manifests, problem } = preview
  const look = claims[claim]
  const otherName = other && `${other.kind} ${[other.namespace, other.name].filter(Boolean).join('/')}`
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Group justify="space-between">
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {template?.kind} {nameOf(preview)}
          </Text>
          {look && (
            <Badge variant="default" tt="none" leftSection={<Dot color={look.color} />}>
              {words.claims[look.word]}
            </Badge>
          )}
        </Group>
        {look && otherName && <Text size="sm">{words.claimOf[look.word](otherName)}</Text>}
        {problem && <Text size="sm">{words.problem(problem)}</Text>}
        {placement && <PlacementTable placement={placement} />}
        {manifests.length > 0 && <ManifestChanges changes={manifests} />}
        {placement?.assumptions.map(sentence => (
          <Text key={sentence} size="xs" c="dimmed">
            <ServerWords text={sentence} />
          </Text>
        ))}
      </Stack>
    </Paper>
  )
}
