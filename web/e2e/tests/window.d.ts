interface Window {
  Citebook?: { open(): Promise<void>; close(): void; ask(question?: string): Promise<void>; destroy(): void }
  answerHeard?: Promise<string>
}
