/** The language that the chat speaks: what the site was told, else what its page says it is written in. */

const SPOKEN = ['en', 'de', 'es', 'fr', 'ur']

/** Two letters; `auto` is that of the page. English where the chat does not speak it. */
export function languageOf(chosen: string): string {
  const named = (chosen === 'auto' ? document.documentElement.lang : chosen).split('-')[0]!.toLowerCase()
  return SPOKEN.includes(named) ? named : 'en'
}

export function directionOf(language: string): 'ltr' | 'rtl' {
  return language === 'ur' ? 'rtl' : 'ltr'
}
