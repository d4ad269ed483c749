/** Takes out of a text what a reader cannot see but a machine can: tags, zero-width characters, direction controls. */

const INVISIBLE =
  '\\u0000-\\u0008\\u000b\\u000e-\\u001f\\u007f-\\u0084\\u0086-\\u009f' +
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f' +
  '\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f' +
  '\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb' +
  '\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}'

/** Emoji keep the selector and the joiner that make them one picture; everything else invisible goes. */
const EMOJI_OR_INVISIBLE = new RegExp(
  '((?:\\p{Extended_Pictographic}[\\u{1f3fb}-\\u{1f3ff}]?|[0-9#*](?=\\ufe0f\\u20e3))\\ufe0f?' +
    `(?:\\u200d(?=\\p{Extended_Pictographic}))?)|[${INVISIBLE}]+|[\\ud800-\\udfff]`,
  'gu',
)

const LINE_ENDS = /\r\n?|[\u2028\u2029\u0085\f\v]/g

export function visibleText(text: string): string {
  return text.replace(LINE_ENDS, '\n').replace(EMOJI_OR_INVISIBLE, (_match, emoji: string | undefined) => emoji ?? '')
}
