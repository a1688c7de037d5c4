import type { BodyOf, FactClient } from '../../../../../client/client.ts';

export type ImportBody = BodyOf<'POST /v1/imports'>;

/** The largest file that fits into a request of 16 MiB, whose base64 form takes a third more. */
export const MAX_FILE_BYTES = 12_000_000;

/** The result of an import or of its trial. */
export interface ImportDone {
  readonly format: string;
  readonly dry_run: boolean;
  readonly read: number;
  readonly stored: number;
  /** Only in a trial, which stores nothing. */
  readonly would_store?: number;
  readonly same: number;
  readonly left_out: number;
  readonly refused: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, number>>;
  readonly remarks: Readonly<Record<string, number>>;
  readonly sources: readonly string[];
  /** Only in a trial. */
  readonly samples?: readonly string[];
}

export interface RefusedItem {
  readonly at: string;
  readonly reason: string;
}

export interface ImportProgress {
  readonly done_bytes: number;
  readonly total_bytes: number;
  readonly facts: number;
}

interface ImportLine {
  readonly progress?: ImportProgress;
  readonly refused?: RefusedItem;
  readonly error?: { readonly detail: string; readonly hint?: string };
  readonly done?: ImportDone;
}

/** Returns the bytes of a file in base64. */
export const base64Of = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',', 2)[1] ?? '');
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

/** Sends an import, and reports its progress. Throws what the node refuses, also in the middle. */
export const sendImport = async (
  client: FactClient,
  { body, signal }: { readonly body: ImportBody; readonly signal: AbortSignal },
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportDone & { readonly items: readonly RefusedItem[] }> => {
  const { body: stream } = await client.open('POST', '/v1/imports', { body, signal, timeoutMs: 0 });
  const items: RefusedItem[] = [];
  for await (const { progress, refused, error, done } of readLines(stream)) {
    if (progress !== undefined) onProgress(progress);
    if (refused !== undefined) items.push(refused);
    if (error !== undefined) throw new Error([error.detail, error.hint].filter(Boolean).join(': '));
    if (done !== undefined) return { ...done, items };
  }
  throw new Error('the reply of the node was cut short');
};

/** Starts an import that goes on when the reader leaves the screen. */
export const startImport = async (client: FactClient, body: ImportBody, signal: AbortSignal): Promise<void> => {
  await client.call('POST /v1/imports', { body: { ...body, as_job: true }, signal, timeoutMs: 0 });
};

async function* readLines(stream: ReadableStream<Uint8Array> | null): AsyncGenerator<ImportLine> {
  const reader = stream?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
    const lines = (rest + piece.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as ImportLine;
  }
}
