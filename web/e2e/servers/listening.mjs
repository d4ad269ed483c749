/** Servers of this process, each on a port that was free. */
import { createServer } from 'node:http'

/** Resolves to the server's address and how to close it, open connections included. */
export async function listen(answer) {
  const server = createServer(answer)
  await new Promise((resolve, reject) => server.on('error', reject).listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve)
      server.closeAllConnections()
    })
  return { address: `http://127.0.0.1:${server.address().port}`, close }
}
