import { describe, expect, it, vi } from 'vitest'
import { EventStreamReader, framesOf } from '../src/eventStream'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

function read(...pieces: Uint8Array[]): string[] {
  const reader = new EventStreamReader()
  return pieces.flatMap((piece) => reader.push(piece))
}

function bodyOf(...pieces: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(bytes(piece))
      controller.close()
    },
  })
}

describe('EventStreamReader', () => {
  const stream =
    ': heartbeat\n\ndata: {"chunk":"Grüße 🤖"}\n\nevent: x\r\ndata: one\r\ndata: two\r\n\r\nid: 7\rdata:three\r\rdata\n\n'
  const frames = ['{"chunk":"Grüße 🤖"}', 'one\ntwo', 'three', '']

  it('reads frames that end in LF, CRLF or CR and passes over comments and other fields', () => {
    expect(read(bytes(stream))).toEqual(frames)
  })

  it('reads the same frames wherever the bytes are cut in two', () => {
    const whole = bytes(stream)
    for (let cut = 0; cut <= whole.length; cut += 1)
      expect(read(whole.slice(0, cut), whole.slice(cut))).toEqual(frames)
  })

  it('reads the same frames byte by byte', () => {
    expect(read(...[...bytes(stream)].map((byte) => Uint8Array.of(byte)))).toEqual(frames)
  })

  it('gives nothing for a frame that has not ended', () => {
    expect(read(bytes('data: {"chunk":"half"}\n'))).toEqual([])
  })

  it('does not end a frame at a line break that JSON has escaped', () => {
    const data = JSON.stringify({ chunk: 'a\n\ndata: {"done":true}\r\r' })
    expect(read(bytes(`data: ${data}\n\n`))).toEqual([data])
  })

  it('reads a frame of 1 MB that comes in small pieces', () => {
    const data = 'x'.repeat(1024 * 1024)
    const whole = bytes(`data: ${data}\n\n`)
    const pieces = Array.from({ length: Math.ceil(whole.length / 100) }, (_, index) =>
      whole.slice(index * 100, index * 100 + 100),
    )
    expect(read(...pieces)).toEqual([data])
  })

  it('looks at every character once, however many pieces a line comes in', () => {
    const looked = vi.spyOn(String.prototype, 'charCodeAt')
    const reader = new EventStreamReader()
    for (let index = 0; index < 500; index += 1) reader.push(bytes('xxxxxxxxxx'))
    expect(looked.mock.calls.length).toBeLessThanOrEqual(5000)
  })

  it('refuses a frame that never ends', () => {
    const reader = new EventStreamReader()
    const piece = bytes('x'.repeat(1024 * 1024))
    expect(() => {
      for (let index = 0; index < 20; index += 1) reader.push(piece)
    }).toThrow(RangeError)
  })
})

describe('framesOf', () => {
  it('gives the frames of a body in order', async () => {
    const found: string[] = []
    for await (const frame of framesOf(bodyOf('data: 1\n', '\ndata: 2\n\n'), 1000)) found.push(frame)
    expect(found).toEqual(['1', '2'])
  })

  it('gives up on a body that falls silent', async () => {
    vi.useFakeTimers()
    const cancelled = vi.fn()
    const frames = framesOf(new ReadableStream({ cancel: cancelled }), 1000)
    const next = expect(frames.next()).rejects.toThrow('silent')
    await vi.advanceTimersByTimeAsync(1000)
    await next
    expect(cancelled).toHaveBeenCalledOnce()
    vi.useRealTimers()
  })

  it('lets go of the body when nobody reads on', async () => {
    const cancelled = vi.fn()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytes('data: 1\n\n')),
      cancel: cancelled,
    })
    for await (const _ of framesOf(body, 1000)) break
    expect(cancelled).toHaveBeenCalledOnce()
  })
})
