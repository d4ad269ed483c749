interface Window {
  Citebook?: {
    open(): Promise<void>
    close(): void
    ask(question?: string): Promise<void>
    setToken(token?: string): void
    setScope(scope: { chapterId: string; title?: string } | 'page' | null): Promise<void>
  }
  answerHeard?: Promise<string>
  __payloads?: string[]
  __counted?: { splits: number }
}
