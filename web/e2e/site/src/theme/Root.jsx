/** A site with a Root of its own, as many have: the plugin must not need it. */
export default function Root({ children }) {
  return <div data-own-root="">{children}</div>
}
