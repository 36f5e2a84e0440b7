import { loadAll, YAMLException } from 'js-yaml'
import { z } from 'zod'
import { KubeconfigError } from '../../ports/kube-api.js'

const clusterSchema = z.object({
  server: z.string(),
  'certificate-authority': z.string().optional(),
  'certificate-authority-data': z.string().optional(),
  'tls-server-name': z.string().optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'proxy-url': z.string().optional(),
})

const userSchema = z
  .object({
    'client-certificate': z.string(),
    'client-certificate-data': z.string(),
    'client-key': z.string(),
    'client-key-data': z.string(),
    token: z.string(),
    tokenFile: z.string(),
    username: z.string(),
    password: z.string(),
    as: z.string(),
    'as-groups': z.array(z.string()),
    'as-uid': z.string(),
    'as-user-extra': z.record(z.string(), z.array(z.string())),
    exec: z.object({
      apiVersion: z.string(),
      command: z.string().min(1),
      args: z.array(z.string()).nullish(),
      env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
      provideClusterInfo: z.boolean().optional(),
      installHint: z.string().optional(),
    }),
    'auth-provider': z.object({ name: z.string(), config: z.record(z.string(), z.string()).nullish() }),
  })
  .partial()

const contextSchema = z.object({
  cluster: z.string(),
  user: z.string().optional(),
  namespace: z.string().optional(),
})

const kubeconfigSchema = z.object({
  'current-context': z.string().nullish(),
  clusters: z.array(z.object({ name: z.string(), cluster: clusterSchema })).nullish(),
  users: z.array(z.object({ name: z.string(), user: userSchema.nullish() })).nullish(),
  contexts: z.array(z.object({ name: z.string(), context: contextSchema })).nullish(),
})

/** A server and how it is trusted, as a kubeconfig writes it. */
export type Cluster = z.infer<typeof clusterSchema>
/** A credential as a kubeconfig writes it. */
export type User = z.infer<typeof userSchema>

/**
 * Reads the text of one kubeconfig (YAML or JSON) as data of the known shape.
 * @throws KubeconfigError naming the field that is wrong, without a value and without a key that the writer chose
 */
export function readDocument(text: string): z.infer<typeof kubeconfigSchema> {
  const raw = dataOf(text)
  if (raw === null || raw === undefined || raw === '') throw new KubeconfigError('kubeconfig: empty')
  const result = kubeconfigSchema.safeParse(raw)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  throw new KubeconfigError(
    `kubeconfig: ${fieldOf(issue?.path ?? []) || 'not a kubeconfig'}: ${issue?.message ?? 'not understood'}`,
  )
}

/** The path of a field without the keys that the writer of the kubeconfig chose. */
function fieldOf(path: readonly PropertyKey[]): string {
  const open = path.findIndex(key => key === 'config' || key === 'as-user-extra')
  return (open < 0 ? path : path.slice(0, open + 1)).join('.')
}

/**
 * The value of the one document. js-yaml because its time grows with the text: the `yaml` package compares each key of a mapping
 * with all others, and takes minutes for a Secret full of them. No aliases: a kubeconfig has no use for them, and a few lines of
 * them can fill the memory.
 */
function dataOf(text: string): unknown {
  let documents: readonly unknown[]
  try {
    documents = loadAll(text, { maxAliases: 0 })
  } catch (error) {
    // The parser's message quotes the source around the error: keep only where it was.
    const { reason, mark } = error instanceof YAMLException ? error : {}
    if (reason?.startsWith('aliases exceeded'))
      throw new KubeconfigError('kubeconfig: YAML aliases are not supported')
    throw new KubeconfigError(`kubeconfig: not valid YAML (line ${(mark?.line ?? 0) + 1})`)
  }
  if (documents.length > 1)
    throw new KubeconfigError('kubeconfig: holds several YAML documents, but must be one')
  return documents[0]
}
