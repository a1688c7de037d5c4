import { encodeBase64Url, keyIdOf, noteKey, sealText } from '../../kernel/internal-api.ts';
import { type Clock, formatInstant, type NodeNotes, openJson, type SealedColumns } from '../../kernel/plugin-api.ts';
import { successionBytes } from './key-succession.ts';
import type { ListedNodeKey } from './node-info-api.ts';

/**
 * Signs with a retired key, named by the base64url of its public half. Returns undefined if its private half is lost.
 */
export type SignRetired = (publicKey: string, bytes: Uint8Array) => Uint8Array | undefined;

export interface KeyHistoryParts {
  readonly notes: NodeNotes;
  readonly clock: Clock;
  readonly nodeId: string;
}

/** The name of the note in the store that holds the list of keys. */
const NOTE = 'node-keys';

export const SEALED: SealedColumns<'value'> = {
  table: 'node_settings',
  key: ['key'],
  columns: ['value'],
  where: { key: noteKey(NOTE) },
};
/**
 * The time in milliseconds for which a replaced key stays valid, so that other processes can restart and peers can
 * fetch the new key.
 */
const OVERLAP_MS = 3_600_000;
/** The maximum number of listed keys, so that peers can read the metadata. No node replaces its key so often. */
const MAX_LISTED = 100;

/** The past and present keys of the node, each signed by its predecessor. All processes on the store share the list. */
export class KeyHistory {
  readonly #parts: KeyHistoryParts;

  constructor(parts: KeyHistoryParts) {
    this.#parts = parts;
  }

  /** Returns the keys, oldest first. */
  list(): Promise<readonly ListedNodeKey[]> {
    return listKeys(this.#parts.notes);
  }

  /** Makes this key the current one. Does nothing if it is already. */
  async begin(publicKey: string, signRetired: SignRetired): Promise<void> {
    const { notes } = this.#parts;
    const isCurrent = (keys: readonly ListedNodeKey[]): boolean => keys.at(-1)?.public_key === publicKey;
    // Reads without a transaction first, so that a normal start needs no transaction.
    if (isCurrent(await this.list())) return;
    await notes.change(NOTE, (before) => {
      const keys = read(before);
      return isCurrent(keys) && before !== undefined
        ? before
        : sealText(JSON.stringify(this.#next(keys, publicKey, signRetired)));
    });
  }

  #next(keys: readonly ListedNodeKey[], publicKey: string, signRetired: SignRetired): readonly ListedNodeKey[] {
    const nowMs = this.#parts.clock.nowMs();
    const last = keys.at(-1);
    const next = {
      key_id: keyIdOf(publicKey),
      public_key: publicKey,
      valid_from: formatInstant(nowMs),
      valid_until: null,
    };
    if (last === undefined) return [{ ...next, signed_by: null }];
    const named = { keyId: next.key_id, publicKey, validFrom: next.valid_from };
    const signature = signRetired(last.public_key, successionBytes(this.#parts.nodeId, named));
    const signed_by = signature === undefined ? null : { key_id: last.key_id, signature: encodeBase64Url(signature) };
    const ended = { ...last, valid_until: formatInstant(nowMs + OVERLAP_MS) };
    return [...keys.slice(0, -1), ended, { ...next, signed_by }].slice(-MAX_LISTED);
  }
}

/** Returns the past and present keys of a store, oldest first. */
export const listKeys = async (notes: Pick<NodeNotes, 'read'>): Promise<readonly ListedNodeKey[]> =>
  read(await notes.read(NOTE));

const read = (text: string | undefined): readonly ListedNodeKey[] =>
  text === undefined ? [] : openJson<readonly ListedNodeKey[]>(SEALED, { key: NOTE, value: text }, 'value');
