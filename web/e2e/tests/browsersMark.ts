/** The mark that the browser itself makes for a text fragment. It tells no script: it is seen in a picture alone. */
import type { Page } from '@playwright/test'

export interface Line {
  text: string
  isInView: boolean
  /** How far down in the window it ends, as a share of the height. */
  share: number
  isMarked: boolean
}

/** Chromium's own colour, and how much of a marked line shows it between the letters. */
const COLOUR = [0xe9, 0xd2, 0xfd]
const MARKED_SHARE = 0.3

/** Each line of a passage, which is named by its letters and digits; null where the page does not have it. */
export async function linesMarkedByBrowser(page: Page, letters: string): Promise<Line[] | null> {
  const lines = await page.evaluate(linesOf, letters)
  if (!lines) return null
  const picture = (await page.screenshot()).toString('base64')
  const shares = await page.evaluate(sharesOfColour, {
    picture,
    colour: COLOUR,
    places: lines.map(({ place }) => place),
  })
  return lines.map(({ place, ...line }, index) => ({ ...line, isMarked: shares[index]! >= MARKED_SHARE }))
}

/** Runs in the page. Formulas count by their TeX, and have no line of their own. */
function linesOf(letters: string) {
  const walker = document.createTreeWalker(document.querySelector('main')!, NodeFilter.SHOW_TEXT)
  const nodes: Text[] = []
  while (walker.nextNode()) nodes.push(walker.currentNode as Text)
  const isTex = (node: Text): boolean => node.parentElement!.matches('annotation')
  const isTold = (node: Text): boolean => isTex(node) || !node.parentElement!.closest('.katex, .hash-link, button')
  const lettersOf = (character: string): string[] =>
    [...character.normalize('NFKC').toLowerCase()].filter((each) => /[\p{L}\p{N}]/u.test(each))
  const seen = nodes
    .filter(isTold)
    .flatMap((node) =>
      node.data.split('').flatMap((unit, offset) => lettersOf(unit).map((letter) => ({ node, offset, letter }))),
    )
  const start = seen
    .map(({ letter }) => letter)
    .join('')
    .indexOf(letters)
  if (start < 0) return null
  const passage = seen.slice(start, start + letters.length).filter(({ node }) => !isTex(node))
  return [...Map.groupBy(passage, ({ node }) => node)].flatMap(([node, ofNode]) => {
    const range = document.createRange()
    range.setStart(node, ofNode[0]!.offset)
    range.setEnd(node, ofNode.at(-1)!.offset + 1)
    return [...range.getClientRects()].map(({ x, y, width, height, right, bottom }) => ({
      text: range.toString(),
      place: { x, y, width, height },
      share: bottom / innerHeight,
      isInView: x >= 0 && y >= 0 && right <= innerWidth && bottom <= innerHeight,
    }))
  })
}

/** Runs in the page: how much of each place has this colour. */
async function sharesOfColour({
  picture,
  colour,
  places,
}: {
  picture: string
  colour: number[]
  places: { x: number; y: number; width: number; height: number }[]
}): Promise<number[]> {
  const bytes = Uint8Array.from(atob(picture), (character) => character.charCodeAt(0))
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
  const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d')!
  canvas.drawImage(image, 0, 0)
  return places.map(({ x, y, width, height }) => {
    const { data } = canvas.getImageData(x, y, Math.max(1, width), Math.max(1, height))
    let marked = 0
    for (let index = 0; index < data.length; index += 4)
      if (colour.every((value, channel) => data[index + channel] === value)) marked += 1
    return marked / (data.length / 4)
  })
}
