import type { Signer } from '../../kernel/internal-api.ts';
import type { SignatureWork } from '../../kernel/plugin-api.ts';
import type { SignRetired } from './key-history.ts';
import type { NodeIdentity, RetiredIdentity } from './node-info-api.ts';

/** One key of the node, with its private half. */
export interface HeldKey extends RetiredIdentity {
  readonly signer: Signer;
}

/** The current key, with which the node signs, and its retired keys. */
export interface HeldKeys {
  readonly current: HeldKey;
  readonly retired: readonly HeldKey[];
}

/** The identity of a running node, whose key can be replaced while it runs. */
export class LiveIdentity implements NodeIdentity {
  readonly #work: SignatureWork;
  readonly #earlier: readonly string[];
  #keys: HeldKeys;
  #next: HeldKeys | undefined;

  /** `earlier` are the public keys in the store, as base64url. */
  constructor(keys: HeldKeys, work: SignatureWork, earlier: readonly string[]) {
    this.#keys = keys;
    this.#work = work;
    this.#earlier = earlier;
  }

  get publicKey(): string {
    return this.#keys.current.publicKey;
  }

  /** Includes the prepared key, because another process of the node may use it already. */
  get retired(): readonly RetiredIdentity[] {
    const others = this.#next === undefined ? [] : [this.#next.current];
    return [...others, ...this.#keys.retired].map(({ publicKey, deriveSecret }) => ({ publicKey, deriveSecret }));
  }

  get publicKeys(): readonly string[] {
    return [...new Set([this.publicKey, ...this.retired.map(({ publicKey }) => publicKey), ...this.#earlier])];
  }

  sign(bytes: Uint8Array): Uint8Array {
    return this.#keys.current.signer.sign(bytes);
  }

  signAll(texts: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
    return this.#work.signAll(this.#keys.current.signer, texts);
  }

  deriveSecret(purpose: string): Uint8Array {
    return this.#keys.current.deriveSecret(purpose);
  }

  /** Signs with a retired key. After `prepare` the present key counts as retired too. */
  readonly signRetired: SignRetired = (by, bytes) => {
    const held = [...(this.#next?.retired ?? []), ...this.#keys.retired];
    return held.find(({ publicKey }) => publicKey === by)?.signer.sign(bytes);
  };

  /**
   * Sets the keys for the next change. From now on all of them open secrets and verify signatures, but the present key
   * signs until `use`.
   */
  prepare(next: HeldKeys): void {
    this.#next = next;
  }

  /** Signs with the prepared key from now on. */
  use(): void {
    if (this.#next !== undefined) this.#keys = this.#next;
    this.#next = undefined;
  }
}
