import { finished, type Readable, type Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMemoryServer, type MemoryServerParts } from './memory-server.ts';

/** Serves one client on a pair of streams. Resolves when the client has left. */
export const serveOverStdio = async (
  parts: MemoryServerParts,
  { stdin, stdout }: { readonly stdin: Readable; readonly stdout: Writable },
): Promise<void> => {
  const handle = serveStdio(() => createMemoryServer(parts), {
    transport: new StdioServerTransport(stdin, stdout, { maxBufferSize: MAX_MESSAGE_BYTES }),
    maxSubscriptions: 0,
  });
  // A broken connection counts as leaving.
  await new Promise<void>((resolve) => void finished(stdin, { writable: false }, () => resolve()));
  await handle.close();
};

/** Room for the largest body that the node accepts, with its envelope. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
