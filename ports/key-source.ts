import { defineRef } from './define-ref.ts';

/** The number of bytes of a key of the operator. */
export const OPERATOR_KEY_BYTES = 32;

/** The beginning of a file that is sealed with a key of the operator, such as an export. */
export const SEALED_FILE_MARK = 'fact-memory sealed file ';

/**
 * Where the operator keeps the key with which a node seals things before they leave it: a file, a program that asks a
 * key service or a hardware token. Nothing keeps a key in a store or shows it: its id is a part of its digest.
 */
export interface KeySource {
  /**
   * Returns the present key first, and after it the earlier keys that still open something. There is at least one, and
   * each has `OPERATOR_KEY_BYTES` random bytes. A node calls it again when it needs the present key, so a rotation
   * counts from then on. Rejects with a `ServiceError` without secrets when there is no key, or one of another length.
   */
  readKeys(): Promise<readonly Uint8Array[]>;
}

export const KeySource = defineRef<KeySource>('port.key-source');
