import { type FileHandle, open } from 'node:fs/promises';
import { fileCipher } from './file-cipher.ts';
import type { FileExtent } from './snapshot-extents.ts';

/** Thrown for an unusable snapshot; the message gives the reason. */
export class UnusableSnapshot extends Error {}

/** A sequence of bytes that is read once, from the first to the last. */
export interface ByteSource {
  /** The number of unread bytes. */
  readonly left: number;
  /** Fills the targets, one after the other, with the next bytes. Throws `UnusableSnapshot` if too few remain. */
  fill(targets: readonly Uint8Array[]): Promise<void>;
  /** Idempotent. Never rejects. */
  close(): Promise<void>;
}

/** Reads from bytes in memory. */
export const bytesIn = (bytes: Uint8Array): ByteSource => {
  let at = 0;
  return {
    get left() {
      return bytes.length - at;
    },
    async fill(targets) {
      for (const target of targets) {
        if (target.length > bytes.length - at) throw tooShort();
        target.set(bytes.subarray(at, at + target.length));
        at += target.length;
      }
    },
    async close() {},
  };
};

/**
 * Opens the valid bytes of a file. Reads copy them only once, from the operating system to their destination. Throws
 * for a shorter file.
 */
export const bytesOfFile = async ({ file, bytes, key }: FileExtent): Promise<ByteSource> => {
  const handle = await open(file, 'r');
  const source = new FileBytes(handle, bytes, key);
  if ((await handle.stat()).size >= bytes) return source;
  await source.close();
  throw tooShort();
};

class FileBytes implements ByteSource {
  readonly #handle: FileHandle;
  readonly #end: number;
  #at = 0;
  #isOpen = true;
  readonly #cipher: ReturnType<typeof fileCipher> | undefined;

  constructor(handle: FileHandle, end: number, key: Uint8Array | undefined) {
    this.#cipher = key === undefined ? undefined : fileCipher(key);
    this.#handle = handle;
    this.#end = end;
  }

  get left(): number {
    return this.#end - this.#at;
  }

  async fill(targets: readonly Uint8Array[]): Promise<void> {
    for (let wanted = targets.filter(({ length }) => length > 0); wanted.length > 0; ) {
      const { bytesRead } = await this.#handle.readv(wanted, this.#at);
      this.#at += bytesRead;
      if (bytesRead === 0 || this.#at > this.#end) throw tooShort();
      wanted = withoutFirst(wanted, bytesRead);
    }
    if (this.#cipher === undefined) return;
    for (const target of targets) target.set(this.#cipher.update(target));
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#handle.close().catch(() => {});
  }
}

/** Returns the unfilled rest of the targets, because one read may return fewer bytes than requested. */
const withoutFirst = (targets: readonly Uint8Array[], bytes: number): Uint8Array[] => {
  let passed = bytes;
  return targets.flatMap((target) => {
    const cut = Math.min(passed, target.length);
    passed -= cut;
    return cut === target.length ? [] : [target.subarray(cut)];
  });
};

const tooShort = (): UnusableSnapshot => new UnusableSnapshot('it ends too early');
