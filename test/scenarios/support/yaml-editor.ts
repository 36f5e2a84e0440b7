import type { Page } from 'playwright-core'

/** The page's editor of YAML whose label matches. */
export const yamlEditor = (page: Page, label: RegExp) => page.getByRole('textbox', { name: label })

/** Turns from an editor's form to its YAML. */
export const asYaml = (page: Page): Promise<void> => page.getByRole('tab', { name: 'YAML' }).click()

/** Replaces a text in an editor of YAML, with the keyboard's find and replace. */
export async function replaceInYaml(page: Page, label: RegExp, before: string, after: string): Promise<void> {
  await yamlEditor(page, label).focus()
  await page.keyboard.press('Control+f')
  await page.getByRole('textbox', { name: 'Find', exact: true }).fill(before)
  await page.getByRole('textbox', { name: 'Replace', exact: true }).fill(after)
  await page.getByRole('button', { name: 'replace all' }).click()
  await page.keyboard.press('Escape')
}

/** Has the server check what is written, and applies it. */
export async function checkAndApply(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Check and compare' }).click()
  await page.getByRole('button', { name: 'Apply' }).click()
}
