/** The few words that are on a page before the chat is opened, in all languages of the chat. */

const WORDS: Record<string, [ask: string, askAbout: string, failed: string]> = {
  en: ['Ask', 'Ask about this', 'The chat could not be loaded. Press to try again.'],
  de: ['Fragen', 'Danach fragen', 'Der Chat konnte nicht geladen werden. Zum Wiederholen drücken.'],
  fr: ['Demander', 'Poser une question', 'Le chat n’a pas pu être chargé. Appuyez pour réessayer.'],
  es: ['Preguntar', 'Preguntar sobre esto', 'No se pudo cargar el chat. Pulse para reintentar.'],
  ur: ['پوچھیں', 'اس بارے میں پوچھیں', 'چیٹ نہیں کھل سکی۔ دوبارہ کوشش کے لیے دبائیں۔'],
}

export function buttonWords(language: string): [ask: string, askAbout: string, failed: string] {
  return WORDS[language] ?? WORDS.en!
}
