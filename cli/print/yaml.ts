import { dump } from 'js-yaml'

/**
 * YAML that `kubectl` reads as the same values: texts such as `yes` and `012`, which are of another type in YAML 1.1, stand in quotes. Lists are at
 * the level of their key, as `kubectl get -o yaml` prints them.
 */
export const yamlOf = (value: unknown): string =>
  dump(value, { lineWidth: -1, seqNoIndent: true, noRefs: true })
