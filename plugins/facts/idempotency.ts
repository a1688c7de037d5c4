import { type AppendOptions, openText, sealText } from '../../kernel/internal-api.ts';
import {
  type AppendVerdict,
  type Clock,
  type PluginTables,
  type Principal,
  type ReadableTables,
  type Row,
  type SealedColumns,
  ServiceError,
  type SqlValue,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import type { OnceAnswer, RecordedAnswer } from './facts-api.ts';
import { IDEMPOTENCY_TABLE } from './facts-migrations.ts';
import { IDEMPOTENCY_IN_PROGRESS } from './facts-words.ts';

export const SEALED = {
  table: IDEMPOTENCY_TABLE,
  key: ['tenant_id', 'entity_uri', 'idempotency_key'],
  columns: ['body'],
} as const satisfies SealedColumns;

const RECORD_LIFE_MS = 24 * 60 * 60 * 1000;

/** Records the answer to one request under its idempotency key. */
export interface Recorder {
  /**
   * Returns options for an append. The append is refused if another request has used the key, and its transaction
   * records the answer that `answerOf` returns. If `answerOf` returns undefined, the request failed and no answer is
   * recorded.
   */
  options(answerOf: (verdicts: readonly AppendVerdict[]) => RecordedAnswer | undefined): AppendOptions;
  /** Records the answer in a transaction of its own, for a request that appends nothing. */
  record(answer: RecordedAnswer): Promise<void>;
}

/**
 * Identifies the caller, the key and the request, so that a reused key can be distinguished from a repeated request.
 */
export interface KeyedRequest {
  readonly caller: Principal;
  readonly key: string;
  hash(): string;
}

export interface KeyedWork {
  /** Throws if the caller may no longer make this request. Runs before any recorded answer or mismatch is returned. */
  permit(): Promise<void>;
  work(recorder: Recorder): Promise<RecordedAnswer>;
}

export interface Idempotency {
  /** Runs the work at most once per key and request. A repeated request gets the recorded answer. */
  run(request: KeyedRequest, work: KeyedWork): Promise<OnceAnswer>;
  /** Deletes recorded answers that are older than a day. */
  purge(): Promise<void>;
}

export const createIdempotency = (tables: PluginTables, clock: Clock): Idempotency => {
  const running = new Set<string>();
  return {
    async run({ caller, key, hash }, keyed) {
      const slot = JSON.stringify([caller.tenantId, caller.entityUri, key]);
      if (!KEY_SHAPE.test(key) || running.has(slot)) {
        await keyed.permit();
        throw KEY_SHAPE.test(key) ? inProgress() : malformedKey();
      }
      running.add(slot);
      try {
        return await runOnce(new KeyRecord(tables, clock, caller, key, hash()), keyed);
      } finally {
        running.delete(slot);
      }
    },
    async purge() {
      await tables(IDEMPOTENCY_TABLE)
        .where('created_ms', '<=', clock.nowMs() - RECORD_LIFE_MS)
        .delete();
    },
  };
};

const runOnce = async (record: KeyRecord, { permit, work }: KeyedWork): Promise<OnceAnswer> => {
  // Looks the key up before the append joins a transaction, so that a plain repetition never waits for the writer.
  await record.lookUp();
  if (record.found === undefined) {
    try {
      const answer = await work(record);
      if (record.found === undefined) return { ...answer, isReplay: false };
    } catch (error) {
      // Another process may have recorded an answer in the meantime. It is valid even if this attempt failed.
      if (record.found === undefined) throw error;
    }
  }
  // Checks that the caller may still see the recorded answer.
  await permit();
  if (record.found === 'of another request') throw mismatch();
  return { ...record.found, isReplay: true };
};

class KeyRecord implements Recorder {
  /** The record that existed under the key before this request. */
  found: RecordedAnswer | 'of another request' | undefined;
  readonly #name: Readonly<Record<string, string>>;
  readonly #where: Readonly<Record<string, string>>;
  readonly #tables: PluginTables;
  readonly #clock: Clock;
  readonly #tenantId: string;
  readonly #hash: string;

  constructor(tables: PluginTables, clock: Clock, caller: Principal, key: string, hash: string) {
    const { tenantId, entityUri } = caller;
    const hidden = tables.hide(tenantId, IDEMPOTENCY_TABLE, 'idempotency_key', key);
    this.#name = { tenant_id: tenantId, entity_uri: entityUri, idempotency_key: key };
    this.#where = { ...this.#name, idempotency_key: hidden };
    this.#tables = tables;
    this.#clock = clock;
    this.#tenantId = tenantId;
    this.#hash = hash;
  }

  lookUp(): Promise<void> {
    return this.#tables.read(async (readable) => {
      this.#judge(readable, await readable.select(IDEMPOTENCY_TABLE, this.#where));
    });
  }

  options(answerOf: (verdicts: readonly AppendVerdict[]) => RecordedAnswer | undefined): AppendOptions {
    return {
      guard: (transaction) => this.#guard(this.#tables.in(transaction)),
      beforeCommit: async (transaction, verdicts) => {
        // The guard of this append refused the request, so the results must not be recorded.
        const answer = this.found === undefined ? answerOf(verdicts) : undefined;
        if (answer !== undefined) await this.#insert(this.#tables.in(transaction), answer);
      },
    };
  }

  async record(answer: RecordedAnswer): Promise<void> {
    await this.#tables.write(this.#tenantId, async (writable) => {
      await this.#guard(writable);
      await this.#insert(writable, answer);
    });
  }

  async #guard(writable: WritableTables): Promise<void> {
    const stale = this.#judge(writable, await writable.select(IDEMPOTENCY_TABLE, this.#where));
    if (stale) await writable(IDEMPOTENCY_TABLE).where(this.#where).delete();
    if (this.found !== undefined) throw inProgress();
  }

  /** Evaluates the row found under the key. Returns true if the record has expired. */
  #judge(own: ReadableTables, [row]: readonly Readonly<Record<string, SqlValue>>[]): boolean {
    if (row === undefined) return false;
    if (Number(row['created_ms']) <= this.#clock.nowMs() - RECORD_LIFE_MS) return true;
    this.found = row['request_hash'] === this.#hash ? own.parseOne(row, recordedIn) : 'of another request';
    return false;
  }

  async #insert(writable: WritableTables, { status, text }: RecordedAnswer): Promise<void> {
    const record = { request_hash: this.#hash, status, body: sealText(text), created_ms: this.#clock.nowMs() };
    await writable.insertRows(IDEMPOTENCY_TABLE, [{ ...this.#name, ...record }]);
  }
}

const recordedIn = (row: Row): RecordedAnswer => ({
  status: Number(row['status']),
  text: openText(SEALED, row, 'body') ?? '',
});

const KEY_SHAPE = /^[\x21-\x7e]{1,255}$/;

const malformedKey = (): ServiceError => {
  const message = 'must be 1 to 255 visible ASCII characters';
  return new ServiceError('bad_parameter', `the Idempotency-Key header ${message}`, {
    violations: [{ path: 'header.idempotency-key', message }],
  });
};

const inProgress = (): ServiceError =>
  new ServiceError(IDEMPOTENCY_IN_PROGRESS, 'a request with this Idempotency-Key is still running', {
    hint: 'repeat the request after a moment; its answer is kept for a day',
    headers: { 'Retry-After': '1' },
  });

const mismatch = (): ServiceError =>
  new ServiceError('idempotency_mismatch', 'this Idempotency-Key was used for another request', {
    hint: 'use a fresh key for every new request',
  });
