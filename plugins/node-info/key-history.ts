import {
  type Clock,
  decodeBase64Url,
  encodeBase64Url,
  formatInstant,
  type NodeNotes,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import { successionBytes } from './key-succession.ts';
import type { ListedNodeKey } from './node-info-api.ts';

/** Signs by a retired key, base64url of its public half; undefined when its private half is not there any more. */
export type SignRetired = (publicKey: string, bytes: Uint8Array) => Uint8Array | undefined;

export interface KeyHistoryParts {
  readonly notes: NodeNotes;
  readonly clock: Clock;
  readonly nodeId: string;
}

/** The store keeps the list under this name. */
const NOTE = 'node-keys';
/** Time for the other processes of the node to start again, and for peers to learn of the new key. */
const OVERLAP_MS = 3_600_000;
/** More rotations than any node has; a list of them fits into what peers read of the metadata. */
const MAX_LISTED = 100;

/** The keys that the node has had, each vouched for by the one before. All processes on the store share the list. */
export class KeyHistory {
  readonly #parts: KeyHistoryParts;

  constructor(parts: KeyHistoryParts) {
    this.#parts = parts;
  }

  /** Oldest first. */
  async list(): Promise<readonly ListedNodeKey[]> {
    return read(await this.#parts.notes.read(NOTE));
  }

  /** Makes this key the current one, unless it is. */
  async begin(publicKey: string, signRetired: SignRetired): Promise<void> {
    const { notes } = this.#parts;
    const isCurrent = (keys: readonly ListedNodeKey[]): boolean => keys.at(-1)?.public_key === publicKey;
    // A look without a transaction saves one at every start.
    if (isCurrent(await this.list())) return;
    await notes.change(NOTE, (before) => {
      const keys = read(before);
      return isCurrent(keys) && before !== undefined
        ? before
        : JSON.stringify(this.#next(keys, publicKey, signRetired));
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

const read = (text: string | undefined): readonly ListedNodeKey[] =>
  text === undefined ? [] : (JSON.parse(text) as readonly ListedNodeKey[]);

/** As signatures name a key. */
const keyIdOf = (publicKey: string): string => sha256Hex(decodeBase64Url(publicKey) ?? new Uint8Array()).slice(0, 16);
