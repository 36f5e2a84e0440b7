import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { en, type Words } from './en.js'
import { zh } from './zh.js'

const languages = { en, zh } as const
export type Language = keyof typeof languages

interface Choice {
  readonly words: Words
  readonly language: Language
  readonly choose: (language: Language) => void
}

const Chosen = createContext<Choice>({ words: en, language: 'en', choose: () => undefined })

/** Where a reader's choice is kept. It is no secret. */
const KEPT = 'kairship-language'

/** The reader's choice, or the first language of the browser's that there is. */
function preferred(): Language {
  const wanted = [localStorage.getItem(KEPT) ?? '', ...navigator.languages]
  const found = wanted.map(tag => tag.slice(0, 2)).find(tag => tag in languages)
  return (found as Language | undefined) ?? 'en'
}

export function WordsProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(preferred)
  const words = languages[language]
  useEffect(() => {
    document.documentElement.lang = words.locale
  }, [words])
  const choice = useMemo<Choice>(
    () => ({
      words,
      language,
      choose: next => {
        localStorage.setItem(KEPT, next)
        setLanguage(next)
      },
    }),
    [words, language],
  )
  return <Chosen value={choice}>{children}</Chosen>
}

/** The texts in the reader's language. */
export const useWords = (): Words => use(Chosen).words

export const useLanguage = (): Choice => use(Chosen)
