const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, character => ENTITIES[character] ?? '')

/** The page in which a browser shows how a login ended. What an issuer says may stand in it, and is text only. */
export const resultPage = (title: string, text: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>
<style>:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif } body { max-width: 30rem; margin: 4rem auto; padding: 0 1rem }</style>
</head><body><h1>${escaped(title)}</h1><p>${escaped(text)}</p></body></html>
`
