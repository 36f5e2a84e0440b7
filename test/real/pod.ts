import { expect } from 'vitest'
import { type RunOptions, runKubectl } from '../scenarios/support/kubectl.js'
import { programPath } from './build.js'

/** Makes a pod in the default namespace, with one container `main`, and waits until it is Ready. */
export async function startPod(name: string, where: Pick<RunOptions, 'kubeconfig' | 'home'>): Promise<void> {
  const spec = { containers: [{ name: 'main', image: name }] }
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec }
  const kubectl = async (words: readonly string[]): Promise<void> => {
    const { code, stderr } = await runKubectl(programPath('kubectl'), words, {
      ...where,
      input: JSON.stringify(pod),
    })
    expect([code, stderr]).toEqual([0, ''])
  }
  await kubectl(['apply', '-f', '-'])
  // Less than the patience with any kubectl, which ends it without a word.
  await kubectl(['wait', '--for=condition=Ready', `pod/${name}`, '--timeout=200s'])
}
