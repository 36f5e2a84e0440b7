import { createContext, type ReactNode, startTransition, use, useEffect, useMemo, useState } from 'react'
import type { Words } from './en.js'
import { ServerSentences, type Translation } from './server-sentences.js'

/** Only the reader's is loaded. */
const languages = {
  en: async (): Promise<Words> => (await import('./en.js')).en,
  zh: async (): Promise<Words> => (await import('./zh.js')).zh,
} as const
export type Language = keyof typeof languages

/** Kairship's server speaks English. */
const sentences: Readonly<Partial<Record<Language, () => Promise<Translation>>>> = {
  zh: async () => (await import('./server-zh.js')).chinese,
}

interface Choice {
  readonly words: Words
  readonly language: Language
  /** @throws what kept its texts from being loaded; the language stays as it was */
  readonly choose: (language: Language) => Promise<void>
}

const Chosen = createContext<Choice | undefined>(undefined)

/** Where a reader's choice is kept. It is no secret. */
const KEPT = 'kairship-language'

/** The reader's choice, or the first language of the browser's that there is. */
function preferred(): Language {
  const wanted = [localStorage.getItem(KEPT) ?? '', ...navigator.languages]
  const found = wanted.map(tag => tag.slice(0, 2)).find(tag => tag in languages)
  return (found as Language | undefined) ?? 'en'
}

/** Calls `then` when the reader has chosen a language in another tab. @returns stops it */
function whenKeptElsewhere(then: () => void): () => void {
  const look = ({ key }: StorageEvent) => {
    if (key === KEPT) then()
  }
  addEventListener('storage', look)
  return () => removeEventListener('storage', look)
}

const loading = new Map<Language, Promise<Words>>()

/** The same promise for a language each time, also where it has failed: whoever draws the page asks again at once after a failure, without end. */
function textsOf(language: Language): Promise<Words> {
  const texts = loading.get(language) ?? languages[language]()
  loading.set(language, texts)
  return texts
}

/** Begins to load the reader's texts. Where they cannot be loaded, `WordsProvider` throws the reason when it is rendered. */
export async function loadWords(): Promise<void> {
  await textsOf(preferred()).catch(() => undefined)
}

/** A reader who chooses a language once more has it loaded once more. */
async function chosenTexts(language: Language): Promise<void> {
  try {
    await textsOf(language)
  } catch (error) {
    loading.delete(language)
    throw error
  }
}

/** Gives its children the texts. It suspends until they are there. */
export function WordsProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(preferred)
  const words = useWithSentences(use(textsOf(language)), language)
  useEffect(() => {
    document.documentElement.lang = words.locale
  }, [words])
  useEffect(
    () =>
      whenKeptElsewhere(() => {
        const next = preferred()
        // A tab that cannot load the texts keeps its own: the tab in which they were chosen says why they are not there.
        chosenTexts(next).then(
          () => startTransition(() => setLanguage(next)),
          () => undefined,
        )
      }),
    [],
  )
  const choice = useMemo<Choice>(
    () => ({
      words,
      language,
      choose: async next => {
        await chosenTexts(next)
        localStorage.setItem(KEPT, next)
        startTransition(() => setLanguage(next))
      },
    }),
    [words, language],
  )
  return <Chosen value={choice}>{children}</Chosen>
}

/** The texts, which translate sentences of the server as well once that is loaded: they are others then, so that all is drawn again. */
function useWithSentences(texts: Words, language: Language): Words {
  const [loads, setLoads] = useState(0)
  const server = useMemo(() => {
    const load = sentences[language]
    return load && new ServerSentences(load, () => setLoads(count => count + 1))
  }, [language])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was loaded is within `server`
  return useMemo(
    () =>
      server
        ? {
            ...texts,
            problem: {
              ...texts.problem,
              translated: server.translated,
              condition: server.condition,
              meaning: server.meaning,
            },
          }
        : texts,
    [texts, server, loads],
  )
}

/** The texts in the reader's language. */
export const useWords = (): Words => useLanguage().words

export function useLanguage(): Choice {
  const choice = use(Chosen)
  if (!choice) throw new Error('texts are there within WordsProvider alone')
  return choice
}
