/** The client as which `kairship login` comes. It is public: a program on many machines can keep no secret. */
export const LOGIN_CLIENT = { id: 'kairship-cli', name: 'kairship login' } as const
