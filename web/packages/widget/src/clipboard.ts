/** Puts text on the clipboard; says whether it worked, since a page may forbid it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (!navigator.clipboard) return copyBySelection(text)
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** Pages that are not served over HTTPS have no clipboard; there the old way still works. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'cb-hidden'
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}
