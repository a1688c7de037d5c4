import { randomUUID } from 'node:crypto';
import { createWriteStream, existsSync, rmSync, type WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ExportPlace, newDraft, publishDraft, removeDrafts, type WriteText } from '../../kernel/internal-api.ts';
import { SEALED_FILE_MARK, ServiceError } from '../../ports/ports.ts';
import type { FileSeal } from './command-line-deps.ts';

interface Streams {
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** See `CommandNode.writeExport`. */
export const writeExport = async <T>(
  { out, plain }: ExportPlace,
  work: (write: WriteText) => Promise<T>,
  { seal }: FileSeal,
  { stdout, stderr }: Streams,
): Promise<T> => {
  if (out === undefined) return work(writingTo(stdout));
  if (seal === undefined) return writeFile(out, undefined, work);
  if (plain) stderr.write(`warning: ${out} holds what people said in the clear\n`);
  const result = await writeFile(out, plain ? undefined : seal, work);
  if (!plain) stderr.write(`${out} is sealed; "fact-memory-node encryption open" opens it with the same key\n`);
  return result;
};

/** The file appears under its name when it is whole, so that a killed command leaves no half of it there. */
const writeFile = async <T>(
  file: string,
  seal: FileSeal['seal'],
  work: (write: WriteText) => Promise<T>,
): Promise<T> => {
  if (existsSync(file)) throw fileExists(file);
  await removeDrafts(file);
  const draft = newDraft(file, { uuid: randomUUID });
  const target = await openNew(file, draft);
  const input = new PassThrough();
  const written = seal === undefined ? pipeline(input, target) : pipeline(input, seal, target);
  const failure = written.then(
    () => undefined,
    (error: unknown) => error,
  );
  try {
    const result = await work(writingTo(input));
    input.end();
    await written;
    await publish(draft, file);
    return result;
  } catch (error) {
    input.destroy();
    // A failed disk ends the stream, so that the work meets only the end of the stream.
    const cause = await failure;
    throw isOfSystem(cause) ? unwritable(file, cause) : error;
  } finally {
    rmSync(draft, { force: true });
  }
};

const publish = async (draft: string, file: string): Promise<void> => {
  try {
    const written = await open(draft, 'r+');
    await written.sync().finally(() => written.close());
    await publishDraft(draft, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'EEXIST' ? fileExists(file) : unwritable(file, error as NodeJS.ErrnoException);
  }
};

const openNew = async (file: string, draft: string): Promise<WriteStream> => {
  const stream = createWriteStream(draft, { flags: 'wx', mode: 0o600 });
  await new Promise<void>((resolve, reject) => {
    stream.once('open', () => resolve());
    stream.once('error', (error: NodeJS.ErrnoException) => reject(unwritable(file, error)));
  });
  return stream;
};

const writingTo = (stream: Writable): WriteText => {
  // A write error also reaches its callback; without this listener it would end the process.
  stream.on('error', () => {});
  return (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => (error == null ? resolve() : reject(error)));
    });
};

/** See `CommonContext.openExport`. Asks for the seal of the node only for a sealed file. */
export async function* openExport(
  content: AsyncIterable<Buffer>,
  sealOf: () => Promise<FileSeal>,
): AsyncGenerator<Buffer> {
  const parts = content[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  while (start.length < SEALED_FILE_MARK.length) {
    const { done, value } = await parts.next();
    if (done === true) break;
    start = Buffer.concat([start, value]);
  }
  const whole = following(start, parts);
  if (start.subarray(0, SEALED_FILE_MARK.length).toString('latin1') !== SEALED_FILE_MARK) yield* whole;
  else for await (const part of (await sealOf()).open(whole)) yield Buffer.from(part);
}

async function* following(start: Buffer, parts: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (start.length > 0) yield start;
    for (let next = await parts.next(); next.done !== true; next = await parts.next()) yield next.value;
  } finally {
    await parts.return?.();
  }
}

const isOfSystem = (error: unknown): error is NodeJS.ErrnoException =>
  (error as NodeJS.ErrnoException | undefined)?.syscall !== undefined;

const fileExists = (file: string): ServiceError =>
  new ServiceError('conflict', `${file} exists already`, { hint: 'name another file, or remove this one first' });

const unwritable = (file: string, cause: NodeJS.ErrnoException): ServiceError =>
  new ServiceError('unavailable', `${file} cannot be written (${cause.code})`, {
    hint: 'name a file in a folder that exists, that you may write to and that has room',
    cause,
  });
