import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { IncrementFile } from '../../ports/ports.ts';
import { PAGE_DIGEST_BYTES, PageDigests } from './page-digests.ts';

/** The file beside the increments of a chain that says which state of the database the last of them describes. */
const STATE = 'state';
const FORMAT = 'sqlite-chain-1';
const DIGEST_BYTES = 32;
const LENGTH_BYTES = 4;
const ENTRY_BYTES = 4 + PAGE_DIGEST_BYTES;
const OWNER_ONLY = 0o600;
/** The file is replaced when it has grown by this and has doubled its size. */
const SMALLEST_GROWTH_BYTES = 1024 * 1024;

/** The changes of an increment. */
export interface StateChange {
  /** The digests of pages after this number are dropped before `changed` is applied. */
  readonly kept: number;
  /** The pages that have another digest. */
  readonly changed: Iterable<number>;
}

/** A chain as of its last increment. */
export interface ChainState {
  readonly chain: string;
  /** Identifies the file of the database, so that a copy of the folder does not go on with the chain. */
  readonly database: string;
  readonly pageBytes: number;
  readonly digests: PageDigests;
  /** The increments that may wait for the target, and the last one in any case. */
  readonly files: readonly IncrementFile[];
}

interface RecordHeader {
  readonly format: typeof FORMAT;
  readonly chain: string;
  readonly database: string;
  readonly page_bytes: number;
  readonly kept: number;
  readonly entries: number;
  readonly files: readonly IncrementFile[];
}

/** Keeps the state of a chain on disk. A record has a digest of its own, so a crash leaves the state before it. */
export class ChainStateFile {
  readonly #folder: string;
  readonly #chain: Omit<ChainState, 'files'>;
  #files: readonly IncrementFile[];
  /** The bytes that were appended since the file was replaced. */
  #grown = Number.POSITIVE_INFINITY;

  constructor(folder: string, { files, ...chain }: ChainState) {
    this.#folder = folder;
    this.#chain = chain;
    this.#files = files;
  }

  /** Adds an increment, whose digests are set already. Returns when the record is on disk. */
  add(file: IncrementFile, { kept, changed }: StateChange): void {
    const { digests } = this.#chain;
    const record = this.#record(kept, [...changed], [file]);
    const wholeBytes = digests.pages * ENTRY_BYTES;
    if (this.#grown + record.length > Math.max(SMALLEST_GROWTH_BYTES, wholeBytes)) {
      this.#files = [...this.#files.filter(({ name }) => existsSync(join(this.#folder, name))), file];
      this.#writeWhole();
      return;
    }
    this.#files = [...this.#files, file];
    this.#grown += record.length;
    const path = join(this.#folder, STATE);
    appendFileSync(path, record);
    syncNow(path);
  }

  remove(): void {
    rmSync(join(this.#folder, STATE), { force: true });
  }

  #writeWhole(): void {
    const all = Array.from({ length: this.#chain.digests.pages }, (_, at) => at + 1);
    const path = join(this.#folder, STATE);
    writeFileSync(`${path}.partial`, this.#record(0, all, this.#files), { mode: OWNER_ONLY });
    syncNow(`${path}.partial`);
    renameSync(`${path}.partial`, path);
    syncNow(this.#folder);
    this.#grown = 0;
  }

  #record(kept: number, numbers: readonly number[], files: readonly IncrementFile[]): Buffer {
    const { chain, database, pageBytes, digests } = this.#chain;
    const header: RecordHeader = {
      format: FORMAT,
      chain,
      database,
      page_bytes: pageBytes,
      kept,
      entries: numbers.length,
      files,
    };
    const spelled = Buffer.from(JSON.stringify(header));
    const start = LENGTH_BYTES + spelled.length;
    const record = Buffer.alloc(start + numbers.length * ENTRY_BYTES + DIGEST_BYTES);
    record.writeUInt32BE(spelled.length);
    spelled.copy(record, LENGTH_BYTES);
    for (const [at, number] of numbers.entries()) {
      record.writeUInt32BE(number, start + at * ENTRY_BYTES);
      digests.of(number).copy(record, start + at * ENTRY_BYTES + 4);
    }
    digestOf(record.subarray(0, -DIGEST_BYTES)).copy(record, record.length - DIGEST_BYTES);
    return record;
  }
}

const syncNow = (path: string): void => {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

const digestOf = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

/**
 * Returns the newest chain of a database in a folder that can go on: its base is in the target, and no increment after
 * the first one in the folder is missing. Removes everything else, which a killed process has left.
 */
export const takeChain = (folder: string, database: string | undefined): ChainState | undefined => {
  let taken: ChainState | undefined;
  for (const chain of readdirSync(folder).sort().reverse()) {
    const found = taken === undefined ? usableState(join(folder, chain), chain, database) : undefined;
    if (found === undefined) rmSync(join(folder, chain), { recursive: true, force: true });
    taken ??= found;
  }
  return taken;
};

const usableState = (folder: string, chain: string, database: string | undefined): ChainState | undefined => {
  const state = readState(folder, chain);
  if (state === undefined || state.database !== database) return undefined;
  const files = waitingIn(folder, state.files);
  return files && { ...state, files };
};

/** Returns whether an increment waits for the target, whose sender removes it afterwards. */
export const isWaiting = (folder: string, { chain, name }: IncrementFile): boolean =>
  existsSync(join(folder, chain, name));

/** Removes files that the state does not know. Returns undefined where files are missing, or the base was not sent. */
const waitingIn = (folder: string, files: readonly IncrementFile[]): readonly IncrementFile[] | undefined => {
  const first = files.findIndex(({ name }) => existsSync(join(folder, name)));
  const waiting = first === -1 ? files.slice(-1) : files.slice(first);
  for (const [at, { name, number, bytes }] of waiting.entries()) {
    const size = statSync(join(folder, name), { throwIfNoEntry: false })?.size;
    const isWhole = first === -1 || size === bytes;
    if (!isWhole || number !== (waiting[0]?.number ?? 0) + at || (first !== -1 && number === 0)) return undefined;
  }
  const known = new Set([STATE, ...waiting.map(({ name }) => name)]);
  for (const name of readdirSync(folder)) {
    if (!known.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
  return waiting;
};

/** Returns undefined for a chain without a state, and for a state that was not written by this program. */
const readState = (folder: string, chain: string): ChainState | undefined => {
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(folder, STATE));
  } catch {
    return undefined;
  }
  const digests = new PageDigests();
  const files: IncrementFile[] = [];
  let header: RecordHeader | undefined;
  for (let rest = bytes, record = nextRecord(rest); record !== undefined; record = nextRecord(rest)) {
    rest = rest.subarray(record.bytes);
    header = record.header;
    digests.cut(header.kept);
    for (let at = 0; at < header.entries; at += 1) {
      const entry = record.entries.subarray(at * ENTRY_BYTES, (at + 1) * ENTRY_BYTES);
      digests.set(entry.readUInt32BE(), entry.subarray(4));
    }
    files.push(...header.files);
  }
  if (header === undefined || header.chain !== chain) return undefined;
  return { chain, database: header.database, pageBytes: header.page_bytes, digests, files };
};

interface StateRecord {
  readonly header: RecordHeader;
  readonly entries: Buffer;
  readonly bytes: number;
}

/** Returns undefined at the end, and for a record that a crash has cut or an error of the disk has changed. */
const nextRecord = (rest: Buffer): StateRecord | undefined => {
  if (rest.length < LENGTH_BYTES) return undefined;
  const start = LENGTH_BYTES + rest.readUInt32BE();
  const header = parsed(rest.subarray(LENGTH_BYTES, start).toString('utf8'));
  if (header?.format !== FORMAT) return undefined;
  const end = start + header.entries * ENTRY_BYTES;
  if (!rest.subarray(end, end + DIGEST_BYTES).equals(digestOf(rest.subarray(0, end)))) return undefined;
  return { header, entries: rest.subarray(start, end), bytes: end + DIGEST_BYTES };
};

const parsed = (text: string): RecordHeader | undefined => {
  try {
    return JSON.parse(text) as RecordHeader;
  } catch {
    return undefined;
  }
};
