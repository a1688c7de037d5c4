import { finished, pipeline, type Readable, type Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { infiniteForUnfaithful } from '../../kernel/internal-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { boundedLines, idAtEdges } from './bounded-lines.ts';
import { createMemoryServer, type MemoryServerParts } from './memory-server.ts';
import { faultOfMessage } from './message-fault.ts';

interface StdioStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Resolves when the caller's tools are known, or after a short wait. */
  readonly answered?: Promise<void>;
}

/** Serves one client on a pair of streams. Resolves when the client has left. */
export const serveOverStdio = async (
  parts: MemoryServerParts,
  { stdin, stdout, answered }: StdioStreams,
): Promise<void> => {
  const refuse = (id: string | number | null, code: number, message: string): void => {
    stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  };
  const lines = boundedLines(MAX_MESSAGE_BYTES, {
    dropped: (edges) => refuse(idAtEdges(edges), INVALID_REQUEST, `a message has at most ${MAX_MESSAGE_BYTES} bytes`),
    passed: (line) => {
      if (line.toString().trim() === '') return line;
      let message: Buffer;
      try {
        // Otherwise the transport would silently round such numbers.
        message = infiniteForUnfaithful(line, 'message');
      } catch (error) {
        refuse(null, PARSE_ERROR, error instanceof ServiceError ? error.message : 'the message is not valid JSON');
        return undefined;
      }
      // The transport would drop such a message, and its client would wait for a reply.
      const fault = faultOfMessage(JSON.parse(message.toString()));
      if (fault === undefined) return message;
      refuse(fault.id, INVALID_REQUEST, fault.reason);
      return undefined;
    },
  });
  const create = async () => {
    await answered;
    return createMemoryServer(parts);
  };
  const handle = serveStdio(create, {
    // The transport limits whole chunks of input, so its limit must exceed the limit of a line.
    transport: new StdioServerTransport(lines, stdout, { maxBufferSize: 2 * MAX_MESSAGE_BYTES }),
  });
  // A broken connection counts as a client that has left.
  await new Promise<void>((resolve) => {
    finished(lines, { writable: false }, () => resolve());
    pipeline(stdin, lines, () => {});
  });
  await handle.close();
};

/** Codes of JSON-RPC. */
const INVALID_REQUEST = -32_600;
const PARSE_ERROR = -32_700;
/** The maximum size of a message: the largest request body that the node accepts, with its JSON-RPC envelope. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
