import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyModule } from './copy-module.js'

/**
 * Clusterpedia keeps its API types in a module inside its own repository and replaces it by path, which no other module
 * can do: the Go proxy serves that module only up to v0.8.0, and Clusterpedia v0.9.1 needs the fields it gained since.
 * So the published module is copied into the cache and completed there with those fields (names and meaning are
 * Clusterpedia's public API: see its CRDs and the URL parameter `injectEvents`).
 */
interface Addition {
  readonly file: string
  /** The text the addition follows; it must occur, else the published module is not the one expected. */
  readonly after: string
  readonly text: string
}

const additions: readonly Addition[] = [
  {
    file: 'cluster/v1alpha2/types.go',
    after: 'KeyData []byte `json:"keyData,omitempty"`\n',
    text: 'AuthenticationFrom *ClusterAuthentication `json:"authenticationFrom,omitempty"`\n',
  },
  {
    file: 'cluster/v1alpha2/types.go',
    after: 'Resources []string `json:"resources"`\n',
    text: 'EventsInvolvedResources []string `json:"eventsInvolvedResources"`\n',
  },
  {
    file: 'cluster/v1alpha2/types.go',
    after: 'Message string `json:"message,omitempty"`\n',
    text: 'InitialListPhase bool `json:"initialListPhase,omitempty"`\n',
  },
  {
    file: 'clusterpedia/types.go',
    after: 'SearchLabelWithContinue       = "search.clusterpedia.io/with-continue"\n',
    text: [
      'SearchLabelInjectEvents = "search.clusterpedia.io/inject-events"',
      'SearchLabelForwardRequest = "search.clusterpedia.io/forward"',
      'ShadowAnnotationEvents = "shadow.clusterpedia.io/events"\n',
    ].join('\n'),
  },
  {
    file: 'clusterpedia/types.go',
    after: 'WithContinue       *bool\n',
    text: 'InjectEvents bool\n',
  },
  {
    file: 'clusterpedia/v1beta1/types.go',
    after: 'WithContinue *bool `json:"withContinue,omitempty"`\n',
    text: 'InjectEvents bool `json:"injectEvents,omitempty"`\n',
  },
  {
    file: 'clusterpedia/v1beta1/zz_generated.conversion.go',
    after: 'out.WithContinue = (*bool)(unsafe.Pointer(in.WithContinue))\n',
    text: 'out.InjectEvents = in.InjectEvents\n',
  },
  {
    file: 'clusterpedia/v1beta1/conversion.go',
    after: 'out.WithContinue = in.WithContinue\n',
    text: 'out.InjectEvents = in.InjectEvents\n',
  },
  {
    file: 'clusterpedia/v1beta1/zz_generated.conversion.go',
    after:
      'func autoConvert_url_Values_To_v1beta1_ListOptions(in *url.Values, out *ListOptions, s conversion.Scope) error {\n',
    text: `if values := (*in)["injectEvents"]; len(values) > 0 {
	if err := runtime.Convert_Slice_string_To_bool(&values, &out.InjectEvents, s); err != nil {
		return err
	}
}
`,
  },
]

/** The types that `spec.authenticationFrom` is made of. */
const authenticationTypes = `package v1alpha2

type SecretKeySelector struct {
	Name string \`json:"name"\`
	Key  string \`json:"key"\`
}

type ClusterAuthenticationSource struct {
	SecretKeySelector \`json:",inline"\`
}

type ClusterAuthentication struct {
	KubeConfig *ClusterAuthenticationSource \`json:"kubeconfig,omitempty"\`
	CA         *ClusterAuthenticationSource \`json:"ca,omitempty"\`
	Key        *ClusterAuthenticationSource \`json:"key,omitempty"\`
	Cert       *ClusterAuthenticationSource \`json:"cert,omitempty"\`
	Token      *ClusterAuthenticationSource \`json:"token,omitempty"\`
}
`

/**
 * Writes the completed module into `target`, replacing what is there.
 * @param published folder of the published module in Go's module cache (read-only)
 * @throws Error when the published module does not have the expected text
 */
export function completeClusterpediaApi(published: string, target: string): void {
  copyModule(published, target)
  // The published go.mod names a language older than the one its code is written in.
  const goMod = join(target, 'go.mod')
  writeFileSync(goMod, readFileSync(goMod, 'utf8').replace(/^go 1\.16$/m, 'go 1.22.0'))
  for (const { file, after, text } of additions) {
    const path = join(target, file)
    const source = readFileSync(path, 'utf8')
    const at = source.indexOf(after)
    if (at < 0)
      throw new Error(`${file} of github.com/clusterpedia-io/api lacks the expected text: ${after.trim()}`)
    const end = at + after.length
    writeFileSync(path, source.slice(0, end) + text + source.slice(end))
  }
  writeFileSync(join(target, 'cluster/v1alpha2/authentication.go'), authenticationTypes)
}
