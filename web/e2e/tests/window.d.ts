interface Window {
  Citebook?: { open(): Promise<void>; close(): void; ask(question?: string): Promise<void>; destroy(): void }
  answerHeard?: Promise<string>
  __payloads?: string[]
  __counted?: { splits: number }
}
