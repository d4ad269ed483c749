/** Style in a shadow root that a strict content security policy of the host page does not stop. */

export function addStyles(root: ShadowRoot, css: string, nonce?: string): void {
  try {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
  } catch {
    const style = document.createElement('style')
    if (nonce) style.nonce = nonce
    style.textContent = css
    root.append(style)
  }
}
