/** Reads server-sent events from bytes, however they are cut, in time linear in their number. */

const MOST_FRAME_CHARACTERS = 16 * 1024 * 1024

/** Bytes in, the `data` of whole frames out. Comments, heartbeats and other fields are passed over. */
export class EventStreamReader {
  private readonly decoder = new TextDecoder()
  /** Pieces of the line that has not ended yet; joined once, when it ends. */
  private pieces: string[] = []
  private data: string[] = []
  private size = 0
  private endedWithCarriageReturn = false

  push(bytes: Uint8Array): string[] {
    return this.read(this.decoder.decode(bytes, { stream: true }))
  }

  private read(text: string): string[] {
    const frames: string[] = []
    let start = 0
    for (let end = lineEnd(text, start); end >= 0; end = lineEnd(text, start)) {
      // The second half of a carriage return and line feed, which may come in the next piece, ends no line.
      const isSecondHalf = text[end] === '\n' && end === start && this.endedWithCarriageReturn
      this.keep(text.slice(start, end))
      this.endedWithCarriageReturn = text[end] === '\r'
      start = end + 1
      const frame = isSecondHalf ? undefined : this.endLine()
      if (frame !== undefined) frames.push(frame)
    }
    this.keep(text.slice(start))
    return frames
  }

  private keep(piece: string): void {
    if (!piece) return
    this.endedWithCarriageReturn = false
    this.size += piece.length
    if (this.size > MOST_FRAME_CHARACTERS) throw new RangeError('a frame of the stream is too large')
    this.pieces.push(piece)
  }

  /** The frame that the line ends, if it does. */
  private endLine(): string | undefined {
    const line = this.pieces.length === 1 ? this.pieces[0]! : this.pieces.join('')
    this.pieces = []
    if (line === '') return this.endFrame()
    if (line.startsWith('data')) {
      if (line.length === 4) this.data.push('')
      else if (line[4] === ':') this.data.push(line.slice(line[5] === ' ' ? 6 : 5))
    }
    return undefined
  }

  private endFrame(): string | undefined {
    const { data } = this
    this.data = []
    this.size = 0
    return data.length ? data.join('\n') : undefined
  }
}

function lineEnd(text: string, start: number): number {
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === 10 || code === 13) return index
  }
  return -1
}

/** The frames of a body. Silence for longer than `silence` milliseconds, heartbeats included, ends it with an error. */
export async function* framesOf(
  body: ReadableStream<Uint8Array>,
  silence: number,
): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader()
  const frames = new EventStreamReader()
  try {
    for (;;) {
      const { value, done } = await within(silence, reader.read())
      if (done) return
      yield* frames.push(value)
    }
  } finally {
    // Not awaited: a connection that hangs would hold up whoever waits for the end of the answer.
    reader.cancel().catch(() => undefined)
  }
}

function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the stream fell silent')), milliseconds)
  })
  return Promise.race([promise, silence]).finally(() => clearTimeout(timer))
}
