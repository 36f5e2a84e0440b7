/** The client as which `kairship login` comes. It is public: a program on many machines can keep no secret. */
export const LOGIN_CLIENT = { id: 'kairship-cli', name: 'kairship login' } as const

/** The client as which the console's server comes, for browsers. */
export const CONSOLE_CLIENT = { id: 'kairship-console', name: 'The console of Kairship' } as const

/** Where a console is, and with which secret its server comes; without one it is a public client. */
export interface ConsoleClient {
  /** `https://host:port` */
  readonly url: string
  readonly secret?: string
}

/** What programs are called, for the page on which people sign in. */
export const clientName = (id: unknown): string =>
  id === CONSOLE_CLIENT.id ? CONSOLE_CLIENT.name : LOGIN_CLIENT.name
