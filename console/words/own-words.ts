import { type Language, useLanguage } from './use-words.js'

/** The texts of one screen in all languages, which load with it and not before the first screen. @returns those of the reader's language */
export const ownWords =
  <T>(texts: Readonly<Record<Language, T>>) =>
  (): T =>
    texts[useLanguage().language]
