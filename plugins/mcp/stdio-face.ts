import { finished, pipeline, type Readable, type Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { boundedLines, idAtEdges } from './bounded-lines.ts';
import { createMemoryServer, type MemoryServerParts } from './memory-server.ts';

/** Serves one client on a pair of streams. Resolves when the client has left. */
export const serveOverStdio = async (
  parts: MemoryServerParts,
  { stdin, stdout }: { readonly stdin: Readable; readonly stdout: Writable },
): Promise<void> => {
  const refuse = (edges: string): void => {
    const error = { code: TOO_LARGE, message: `a message has at most ${MAX_MESSAGE_BYTES} bytes` };
    stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: idAtEdges(edges), error })}\n`);
  };
  const lines = boundedLines(MAX_MESSAGE_BYTES, refuse);
  const handle = serveStdio(() => createMemoryServer(parts), {
    // The transport counts whole pieces, so its own bound lies above that of a line.
    transport: new StdioServerTransport(lines, stdout, { maxBufferSize: 2 * MAX_MESSAGE_BYTES }),
    maxSubscriptions: 0,
  });
  // A broken connection counts as leaving.
  await new Promise<void>((resolve) => {
    finished(lines, { writable: false }, () => resolve());
    pipeline(stdin, lines, () => {});
  });
  await handle.close();
};

/** The code of JSON-RPC for an invalid request. */
const TOO_LARGE = -32_600;
/** Room for the largest body that the node accepts, with its envelope. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
