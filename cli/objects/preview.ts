import { readFileSync } from 'node:fs'
import { fromJson } from '@bufbuild/protobuf'
import { isMap, parseAllDocuments } from 'yaml'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import {
  type ManifestChange,
  type ObjectReference,
  type Placement,
  PlacementService,
  type PreviewPolicyResponse,
  PreviewPolicyResponseSchema,
  type TemplatePreview,
  TemplatePreview_Claim,
} from '../../proto/gen/kairship/placement_pb.js'
import {
  previewRoleBinding,
  previewWorkspaceRoleBinding,
  type RoleBindingManifest,
} from '../access/role-binding-preview.js'
import type { ClientContext } from '../client/client.js'
import { CommandError, ExitCode } from '../exit-code.js'
import { printedAnswer } from '../print/print.js'
import { placementText } from './placement.js'

/** Policies that Karmada keeps in namespaces; the other two kinds have none. */
const NAMESPACED = ['PropagationPolicy', 'OverridePolicy']

/**
 * `kairship preview [INSTANCE] FILE`: what a policy or a role binding would do before it is applied, or before a binding is removed
 * (`--remove`). A role binding says itself what it is on. `-` reads standard input.
 */
export async function previewFile(
  context: ClientContext,
  config: Config,
  names: readonly string[],
): Promise<ExitCode> {
  const [instance, file = ''] = names.length > 1 ? names : ['', ...names]
  const data = manifestIn(file)
  const binding = roleBindingIn(data)
  if (binding?.kind === 'WorkspaceRoleBinding') {
    if (instance)
      throw new CommandError(
        `a WorkspaceRoleBinding is on all that belongs to its workspace: leave ${instance} out`,
        ExitCode.usage,
      )
    return previewWorkspaceRoleBinding(context, config, binding)
  }
  if (binding) return previewRoleBinding(context, config, instance ?? '', binding)
  if (config.remove)
    throw new CommandError(
      `${file === '-' ? 'standard input' : file} is no role binding: --remove previews the removal of those alone`,
      ExitCode.usage,
    )
  if (!instance)
    throw new CommandError(
      `${file === '-' ? 'standard input' : file} is no role binding: a policy is previewed with "kairship preview INSTANCE FILE"`,
      ExitCode.usage,
    )
  return previewPolicy(context, config, instance, { file, data })
}

const ROLE_BINDINGS: readonly unknown[] = ['InstanceRoleBinding', 'WorkspaceRoleBinding']

/** The role binding that a text is; undefined for all else. */
function roleBindingIn(text: string): RoleBindingManifest | undefined {
  const documents = parseAllDocuments(text)
  const [one, ...others] = Array.isArray(documents) ? documents : []
  if (!one || others.length > 0 || one.errors.length > 0 || !isMap(one.contents)) return undefined
  return ROLE_BINDINGS.includes(one.get('kind')) ? (one.toJS() as RoleBindingManifest) : undefined
}

/**
 * What a policy would do. One without a namespace gets the one that `kubectl apply` would give it.
 */
async function previewPolicy(
  { client, out }: ClientContext,
  config: Config,
  instance: string,
  { file, data: given }: { readonly file: string; readonly data: string },
): Promise<ExitCode> {
  const data = inNamespace(given, config.inNamespace ?? 'default')
  const raw = await jsonClient(PlacementService, client)
    .previewPolicy({ instance, data })
    .catch((error: unknown) => {
      throw namingTheFile(error, file)
    })
  const answer = fromJson(PreviewPolicyResponseSchema, raw, { ignoreUnknownFields: true })
  out(printedAnswer(raw, config.output) ?? forPeople(answer))
  return ExitCode.ok
}

/** @throws CommandError naming the file */
function manifestIn(file: string): string {
  try {
    // File descriptor 0 is standard input.
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CommandError(`${file} cannot be read: ${why}`, ExitCode.usage, { cause: error })
  }
}

/** The same text, with a namespace where one policy needs it and has none. What is no such policy is left to the server to refuse. */
function inNamespace(text: string, namespace: string): string {
  const documents = parseAllDocuments(text)
  const [policy, ...others] = Array.isArray(documents) ? documents : []
  if (!policy || others.length > 0 || policy.errors.length > 0 || !isMap(policy.contents)) return text
  const isNamespaced = NAMESPACED.includes(String(policy.get('kind')))
  if (!isNamespaced || policy.hasIn(['metadata', 'namespace']) || !isMap(policy.get('metadata'))) return text
  policy.setIn(['metadata', 'namespace'], namespace)
  return policy.toString()
}

/** A refusal of the field `data` or of a field in it, said of the file that was sent in it. Other errors stay as they are. */
function namingTheFile(error: unknown, file: string): unknown {
  const [, field = '', problem] =
    error instanceof CommandError ? (/^data(?:\.([^:]*))?: (.*)$/s.exec(error.message) ?? []) : []
  if (!(error instanceof CommandError) || problem === undefined) return error
  const where = [file === '-' ? 'standard input' : file, field].filter(Boolean).join(': ')
  return new CommandError(`${where}: ${problem}`, error.exitCode, { cause: error })
}

function forPeople({ templates, total, unread }: PreviewPolicyResponse): string {
  const shown = templates.map(templateText)
  const more = total > templates.length ? [`${total - templates.length} more templates are not shown.\n`] : []
  const none = total === 0 ? ['The policy selects nothing that is there now.\n'] : []
  return [...none, ...shown, ...more, ...unread.map(one => `Not looked at: ${one}\n`)].join('\n')
}

function templateText({ template, claim, other, placement, problem, manifests }: TemplatePreview): string {
  const head = template ? nameOf(template) : ''
  const of = other ? ` ${nameOf(other)}` : ''
  const claimed = claim === TemplatePreview_Claim.CLAIM_UNSPECIFIED ? '' : `: ${CLAIMED[claim]}${of}`
  const isTaken = claim === TemplatePreview_Claim.CLAIMS || claim === TemplatePreview_Claim.PREEMPTS
  const isNews = isTaken || manifests.length > 0 || movesAny(placement)
  const parts = [
    `${head}${claimed}\n`,
    ...(placement ? [placementText(placement)] : []),
    ...(problem ? [`  Karmada would not bind it, because ${problem}\n`] : []),
    ...manifests.map(changeText),
    ...(isNews || problem ? [] : ['  Nothing changes.\n']),
  ]
  return parts.join('')
}

/** Whether a cluster gets other replicas than it has. */
const movesAny = (placement: Placement | undefined): boolean =>
  (placement?.clusters ?? []).some(({ before, after }) => before !== after)

const CLAIMED: Readonly<Record<Exclude<TemplatePreview_Claim, 0>, string>> = {
  [TemplatePreview_Claim.CLAIMS]: 'would be claimed',
  [TemplatePreview_Claim.KEEPS]: 'stays with this policy',
  [TemplatePreview_Claim.PREEMPTS]: 'would be taken over, if the control plane allows preemption, from',
  [TemplatePreview_Claim.HELD_BY_OTHER]: 'stays with',
  [TemplatePreview_Claim.OUTRANKED]: 'would be claimed by',
}

/** One line for each change of a manifest; what is new or goes is one line for all of it. */
function changeText({ cluster, before, after, patch, problem }: ManifestChange): string {
  if (problem) return `  ${cluster}: ${before ? 'stays as it is' : 'no manifest'}, because ${problem}\n`
  if (!before) return `  ${cluster}: new\n`
  if (!after) return `  ${cluster}: taken away\n`
  return patch
    .map(({ op, path, value }) => `  ${cluster}: ${op} ${path}${value ? ` ${value}` : ''}\n`)
    .join('')
}

const nameOf = ({ kind, namespace, name }: ObjectReference): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`
