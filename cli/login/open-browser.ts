import { spawn } from 'node:child_process'

/** The parts of a process that say where its browser is. */
export interface Desktop {
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** The program that opens an address, as each system has one; undefined where there is no display to open it on. */
export function openerOf({ platform, environment }: Desktop): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  // Without a display xdg-open takes a browser in the terminal, in which the user is typing.
  return environment.DISPLAY || environment.WAYLAND_DISPLAY ? ['xdg-open'] : undefined
}

/**
 * Opens an address in the user's browser. It is one argument of a program, and no shell reads it.
 * @param url begins with https://, so that no program takes it for an option or a file
 * @returns whether a program was started; that it showed a page nobody can know
 */
export function openBrowser(
  url: URL,
  desktop: Desktop = { platform: process.platform, environment: process.env },
): Promise<boolean> {
  const opener = openerOf(desktop)
  if (!opener || url.protocol !== 'https:') return Promise.resolve(false)
  const [program, ...words] = opener
  return new Promise(resolve => {
    const child = spawn(program, [...words, url.href], {
      stdio: 'ignore',
      detached: true,
      env: desktop.environment,
    })
    child.once('error', () => resolve(false))
    child.once('spawn', () => resolve(true))
    child.unref()
  })
}
