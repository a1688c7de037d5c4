import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { ServiceError } from '../../../kernel/plugin-api.ts';

const MAX_INPUT_BYTES = 4 * 1024 * 1024;
const MAX_SESSION_LENGTH = 128;

/** The input of a hook, in terms common to all clients. */
export interface HookInput {
  /** Empty if the client names none. */
  readonly session: string;
  /** The working folder. */
  readonly folder: string;
  readonly prompt: string;
  /** Path of the client's transcript of the session. */
  readonly transcript: string | undefined;
  /** The transcript itself, from a client that keeps none in a file. */
  readonly transcriptText: string | undefined;
  /** The kind of start: `startup`, `resume`, `clear` or `compact`. Undefined if the client does not report it. */
  readonly begin: string | undefined;
}

/** Reads the JSON object on standard input. Clients spell the names differently. */
export const readHookInput = async (stdin: Readable): Promise<HookInput> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Uint8Array | string);
    length += bytes.length;
    if (length > MAX_INPUT_BYTES) throw new ServiceError('validation', 'the client sent more than 4 MiB');
    chunks.push(bytes);
  }
  const parsed: unknown = JSON.parse(
    Buffer.concat(chunks)
      .toString('utf8')
      .replace(/^\uFEFF/, ''),
  );
  const object = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as Readonly<Record<string, unknown>>;
  const text = (...names: readonly string[]): string | undefined =>
    names.map((name) => object[name]).find((value): value is string => typeof value === 'string' && value !== '');
  const roots = object['workspace_roots'];
  const root: unknown = Array.isArray(roots) ? roots[0] : undefined;
  return {
    session: (text('session_id', 'sessionId', 'conversation_id') ?? '').slice(0, MAX_SESSION_LENGTH),
    folder: resolve(text('cwd') ?? (typeof root === 'string' ? root : '.')),
    prompt: text('prompt') ?? '',
    transcript: text('transcript_path', 'transcriptPath'),
    transcriptText: text('transcript'),
    begin: text('source'),
  };
};
