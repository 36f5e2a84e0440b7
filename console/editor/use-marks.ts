import { useEffect, useState } from 'react'
import { KubeError } from '../kube/kube-error.js'
import { useEditorWords } from '../words/editor.js'
import { useManifestWords } from '../words/manifest.js'
import type { Mark } from './code/code-field.js'
import { type Manifest, manifestsIn } from './manifest.js'
import { ManifestError } from './manifest-problem.js'
import { type Finding, findingsIn, placeOf } from './schema/findings.js'
import type { KindSchema } from './schema/schemas.js'

/** The pause after typing before a text is checked, milliseconds. */
const RESTING_MS = 400
/** Longer texts, in characters, are not checked while typing. The dry run checks them. */
const MOST_CHARACTERS = 300_000

/** The problems of a text: by the server's schema while it is edited, and from the last refusal of the server. */
export function useMarks(
  text: string,
  lookup: (apiVersion: string, kind: string) => Promise<KindSchema | undefined>,
  refused: Error | undefined,
): readonly Mark[] {
  const editor = useEditorWords()
  const said = useManifestWords()
  const [marks, setMarks] = useState<readonly Mark[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each text is looked up anew
  useEffect(() => {
    if (text.length > MOST_CHARACTERS) return setMarks([])
    let isOld = false
    const timer = setTimeout(() => {
      void findingsOf(text, lookup, refused).then(findings => {
        if (!isOld) setMarks(findings.map(finding => markOf(finding, { finding: editor.finding, said })))
      })
    }, RESTING_MS)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [text, refused, editor, said])
  return marks
}

/** Never rejects: a text that cannot be parsed is a finding itself. */
async function findingsOf(
  text: string,
  lookup: (apiVersion: string, kind: string) => Promise<KindSchema | undefined>,
  refused: Error | undefined,
): Promise<readonly Finding[]> {
  let manifests: readonly Manifest[]
  try {
    manifests = manifestsIn(text)
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error
    return [{ from: error.at, to: error.at + 1, problem: { is: 'unread', problem: error.problem } }]
  }
  const findings: Finding[] = []
  for (const manifest of manifests) {
    const kind = await lookup(manifest.apiVersion, manifest.kind)
    if (kind) findings.push(...findingsIn(manifest, kind))
  }
  const [first] = manifests
  if (refused instanceof KubeError && first)
    for (const { field, message } of refused.causes)
      findings.push({ ...placeOf(first, field), problem: { is: 'refused', message: `${field}: ${message}` } })
  return findings
}

interface MarkWords {
  readonly finding: ReturnType<typeof useEditorWords>['finding']
  readonly said: ReturnType<typeof useManifestWords>
}

function markOf({ from, to, problem }: Finding, { finding: words, said }: MarkWords): Mark {
  switch (problem.is) {
    case 'unread':
      return { from, to, isError: true, message: said(problem.problem) }
    case 'refused':
      return { from, to, isError: true, message: problem.message }
    case 'unknownField':
    case 'missingField':
      return { from, to, isError: false, message: words[problem.is](problem.field) }
    case 'wrongType':
      return { from, to, isError: false, message: words.wrongType(problem.wanted) }
    case 'notOneOf':
      return { from, to, isError: false, message: words.notOneOf(problem.wanted.join(', ')) }
  }
}
