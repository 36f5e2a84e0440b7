import { formatQuantity, parseQuantity } from '../../manifests/quantity.js'

/**
 * A quantity as Go writes it after it has read it: a text that looks canonical stays as it is (`2.048`), another one becomes canonical
 * (`0.05` is `50m`). ParseQuantity of k8s.io/apimachinery keeps the text.
 * @throws QuantityError when the text is no quantity
 */
export function writtenQuantity(text: string | number): string {
  const canonical = formatQuantity(parseQuantity(text))
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?m?$/.exec(String(text)) ?? []
  const digits = whole + fraction
  const looksCanonical =
    whole !== '' && fraction.length % 3 === 0 && !digits.startsWith('0') && !digits.endsWith('000')
  return looksCanonical ? String(text) : canonical
}
