import { withinTime } from '../../kernel/internal-api.ts';
import { type Clock, ServiceError, sha256Hex } from '../../kernel/plugin-api.ts';
import type { BucketStore, Claim, Grant } from './bucket-store.ts';
import { type Share, ShareMap } from './share-map.ts';

/** The number of buckets per transaction. */
const CLAIMS_AT_ONCE = 200;
/** The maximum time for which a request waits for the store, which may be unreachable. */
const STORE_LIMIT_MS = 5_000;

/** Identifies a bucket, and gives its refill rate. */
export interface BucketName {
  readonly tenantId: string;
  readonly bucket: string;
  readonly perMinute: number;
}

/** The result of taking tokens. */
export interface Taken {
  readonly isLetIn: boolean;
  /** The tokens left for further requests, as far as this process knows. */
  readonly tokens: number;
  /** True for the first refusal of its bucket in a minute; see `Grant.isFirstBreach`. */
  readonly isFirstBreach: boolean;
}

interface Waiting {
  readonly name: BucketName;
  readonly share: Share;
  readonly requests: { readonly units: number; settle(taken: Taken): void; fail(error: unknown): void }[];
}

export interface SharedBucketsParts {
  readonly store: Pick<BucketStore, 'claim'>;
  readonly clock: Clock;
}

/**
 * Takes shares of the buckets' tokens from the store, and admits requests from its shares, so most requests need no
 * store access. Unspent tokens expire after a minute, and at the end of the process. So all processes together never
 * admit more requests than there are tokens.
 */
export class SharedBuckets {
  readonly #parts: SharedBucketsParts;
  readonly #shares = new ShareMap();
  readonly #waiting = new Map<string, Waiting>();
  #claiming: Promise<void> | undefined;

  constructor(parts: SharedBucketsParts) {
    this.#parts = parts;
  }

  /** Takes all tokens or none. Rejects with `unavailable` if the store does not answer in time. */
  take(name: BucketName, units: number): Taken | Promise<Taken> {
    const nowMs = this.#parts.clock.monotonicMs();
    const share = this.#shares.of(keyOf(name));
    if (share.spend(units, nowMs)) return letIn(share, name, nowMs);
    if (share.isKnownToLack(units, nowMs)) return refused(share, name, nowMs);
    return this.#claim(name, share, units);
  }

  /** Returns the tokens of a request that was refused for another reason. */
  give(name: BucketName, units: number): void {
    const nowMs = this.#parts.clock.monotonicMs();
    this.#shares.of(keyOf(name)).give(units, nowMs);
  }

  /** Returns the number of tokens in this process's present share. */
  held(name: BucketName): number {
    const nowMs = this.#parts.clock.monotonicMs();
    return this.#shares.of(keyOf(name)).held(nowMs);
  }

  #claim(name: BucketName, share: Share, units: number): Promise<Taken> {
    const key = keyOf(name);
    const taken = new Promise<Taken>((settle, fail) => {
      const waiting = this.#waiting.get(key) ?? { name, share, requests: [] };
      waiting.requests.push({ units, settle, fail });
      this.#waiting.set(key, waiting);
    });
    this.#claiming ??= this.#claimAll();
    return withinTime(this.#parts.clock, STORE_LIMIT_MS, () => taken, tooLate);
  }

  /** Runs one transaction at a time; requests that arrive in the meantime share the next one. Never rejects. */
  async #claimAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const some = [...this.#waiting].slice(0, CLAIMS_AT_ONCE);
      for (const [key] of some) this.#waiting.delete(key);
      await this.#claimSome(some.map(([, waiting]) => waiting));
    }
    this.#claiming = undefined;
  }

  async #claimSome(all: readonly Waiting[]): Promise<void> {
    const { store, clock } = this.#parts;
    const claims: readonly Claim[] = all.map(({ name, share, requests }) => ({
      ...name,
      wants: requests.map(({ units }) => units),
      held: share.held(clock.monotonicMs()),
    }));
    let grants: readonly Grant[];
    try {
      grants = await store.claim(claims);
    } catch (error) {
      for (const { requests } of all) for (const { fail } of requests) fail(askedInVain(error));
      return;
    }
    const nowMs = clock.monotonicMs();
    for (const [at, waiting] of all.entries()) settleAll(waiting, grants[at] as Grant, nowMs);
  }
}

const keyOf = ({ tenantId, bucket }: BucketName): string => `${tenantId} ${bucket}`;

/** Returns the name of a bucket in the store, a digest of fixed length. */
export const bucketOf = (holder: string, dimension: string): string => sha256Hex(`${dimension} ${holder}`);

const settleAll = ({ name, share, requests }: Waiting, grant: Grant, nowMs: number): void => {
  share.receive(grant.share, grant.left, nowMs);
  const refusals = requests.filter(({ units, settle }) => {
    if (!share.spend(units, nowMs)) return true;
    settle(letIn(share, name, nowMs));
    return false;
  });
  if (refusals.length > 0) share.rest(nowMs);
  for (const [at, { settle }] of refusals.entries()) {
    settle({ ...refused(share, name, nowMs), isFirstBreach: grant.isFirstBreach && at === 0 });
  }
};

const letIn = (share: Share, { perMinute }: BucketName, nowMs: number): Taken => ({
  isLetIn: true,
  tokens: share.tokens(perMinute, nowMs),
  isFirstBreach: false,
});

const refused = (share: Share, { perMinute }: BucketName, nowMs: number): Taken => ({
  isLetIn: false,
  tokens: share.tokens(perMinute, nowMs),
  isFirstBreach: false,
});

/**
 * Returns the error of a request that failed in the store. If it is unknown whether the transaction has committed, its
 * tokens are lost, but the request itself has written nothing.
 */
const askedInVain = (error: unknown): unknown =>
  error instanceof ServiceError && error.code === 'commit_unknown' ? tooLate() : error;

const tooLate = (): ServiceError =>
  new ServiceError('unavailable', 'the store does not say whether the caller has any quota left; try again');
