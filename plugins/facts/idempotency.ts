import {
  type AppendOptions,
  type AppendVerdict,
  type Clock,
  canonicalJson,
  type PluginTables,
  type Principal,
  type Reply,
  type RouteRequest,
  ServiceError,
  type SqlValue,
  sha256Hex,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { IDEMPOTENCY_IN_PROGRESS } from './facts-errors.ts';
import { IDEMPOTENCY_TABLE } from './facts-migrations.ts';

/** How long an answer is kept (wire contract 4.3). */
const RECORD_LIFE_MS = 24 * 60 * 60 * 1000;

/** What a request is answered with; the text is the body, byte for byte. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Keeps the answer of one request under its key. */
export interface Recorder {
  /**
   * For an append: refuses it when the key was used meanwhile, and keeps `answerOf` the verdicts in its transaction. An
   * `undefined` answer, one that is not a success, is not kept.
   */
  options(answerOf: (verdicts: readonly AppendVerdict[]) => Answer | undefined): AppendOptions;
  /** For a request that turned out to append nothing: keeps the answer in a transaction of its own. */
  keep(answer: Answer): Promise<void>;
}

type AnyRequest = Pick<RouteRequest<unknown, unknown, unknown>, 'caller' | 'header'>;

export interface Idempotency {
  /**
   * Runs `work` at most once per key and request. Without an `Idempotency-Key` header it just runs, with `undefined`.
   * `body` is what was asked for; together with the route it tells a repetition from another request under the same
   * key. The reply to a repetition is what the recorder kept.
   */
  run(
    request: AnyRequest,
    route: string,
    body: () => unknown,
    work: (recorder: Recorder | undefined) => Promise<Reply>,
  ): Promise<Reply>;
  /** Forgets answers that are older than a day. */
  purge(): Promise<void>;
}

export const createIdempotency = (tables: PluginTables, clock: Clock): Idempotency => {
  const running = new Set<string>();
  return {
    async run(request, route, body, work) {
      const { caller } = request;
      const key = readKey(request.header('idempotency-key'));
      if (key === undefined) return work(undefined);
      const slot = JSON.stringify([caller.tenantId, caller.entityUri, key]);
      if (running.has(slot)) throw inProgress();
      running.add(slot);
      try {
        return await runOnce(new KeyRecord(tables, clock, caller, key, requestHash(route, body())), work);
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

const runOnce = async (record: KeyRecord, work: (recorder: Recorder) => Promise<Reply>): Promise<Reply> => {
  // Looked up before the append joins a transaction, so that a plain repetition never waits for the writer.
  await record.lookUp();
  if (record.found === undefined) {
    try {
      const reply = await work(record);
      if (record.found === undefined) return reply;
    } catch (error) {
      // Another process may have stored an answer meanwhile; then that one counts, whatever became of this attempt.
      if (record.found === undefined) throw error;
    }
  }
  if (record.found === 'of another request') throw mismatch();
  return { ...record.found, headers: { 'Idempotency-Replayed': 'true' } };
};

class KeyRecord implements Recorder {
  /** What the store held under the key before this request. */
  found: Answer | 'of another request' | undefined;
  readonly #where: Readonly<Record<string, string>>;
  readonly #tables: PluginTables;
  readonly #clock: Clock;
  readonly #tenantId: string;
  readonly #hash: string;

  constructor(tables: PluginTables, clock: Clock, caller: Principal, key: string, hash: string) {
    this.#where = { tenant_id: caller.tenantId, entity_uri: caller.entityUri, idempotency_key: key };
    this.#tables = tables;
    this.#clock = clock;
    this.#tenantId = caller.tenantId;
    this.#hash = hash;
  }

  lookUp(): Promise<void> {
    return this.#tables.read(async (readable) => {
      this.#judge(await readable.select(IDEMPOTENCY_TABLE, this.#where));
    });
  }

  options(answerOf: (verdicts: readonly AppendVerdict[]) => Answer | undefined): AppendOptions {
    return {
      guard: (transaction) => this.#guard(this.#tables.in(transaction)),
      beforeCommit: async (transaction, verdicts) => {
        // Verdicts of a request that its own guard refused are nobody's answer.
        const answer = this.found === undefined ? answerOf(verdicts) : undefined;
        if (answer !== undefined) await this.#insert(this.#tables.in(transaction), answer);
      },
    };
  }

  async keep(answer: Answer): Promise<void> {
    await this.#tables.write(this.#tenantId, async (writable) => {
      await this.#guard(writable);
      await this.#insert(writable, answer);
    });
  }

  async #guard(writable: WritableTables): Promise<void> {
    const stale = this.#judge(await writable.select(IDEMPOTENCY_TABLE, this.#where));
    if (stale) await writable(IDEMPOTENCY_TABLE).where(this.#where).delete();
    if (this.found !== undefined) throw inProgress();
  }

  /** True when there is a record that has outlived its day. */
  #judge([row]: readonly Readonly<Record<string, SqlValue>>[]): boolean {
    if (row === undefined) return false;
    if (Number(row['created_ms']) <= this.#clock.nowMs() - RECORD_LIFE_MS) return true;
    this.found =
      row['request_hash'] === this.#hash
        ? { status: Number(row['status']), text: String(row['body']) }
        : 'of another request';
    return false;
  }

  async #insert(writable: WritableTables, { status, text }: Answer): Promise<void> {
    const kept = { request_hash: this.#hash, status, body: text, created_ms: this.#clock.nowMs() };
    await writable.insertRows(IDEMPOTENCY_TABLE, [{ ...this.#where, ...kept }]);
  }
}

const KEY_SHAPE = /^[\x21-\x7e]{1,255}$/;

const readKey = (text: string | undefined): string | undefined => {
  if (text === undefined || KEY_SHAPE.test(text)) return text;
  const message = 'must be 1 to 255 visible ASCII characters';
  throw new ServiceError('bad_parameter', `the Idempotency-Key header ${message}`, {
    violations: [{ path: 'header.idempotency-key', message }],
  });
};

/** Members that no reader looks at may hold a number that JSON has no form for; such a number counts as null here. */
const requestHash = (route: string, body: unknown): string =>
  sha256Hex(`${route}\n${canonicalJson(JSON.parse(JSON.stringify(body)))}`);

const inProgress = (): ServiceError =>
  new ServiceError(IDEMPOTENCY_IN_PROGRESS, 'a request with this Idempotency-Key is still running', {
    hint: 'repeat the request after a moment; its answer is kept for a day',
    headers: { 'Retry-After': '1' },
  });

const mismatch = (): ServiceError =>
  new ServiceError('idempotency_mismatch', 'this Idempotency-Key was used for another request', {
    hint: 'use a fresh key for every new request',
  });
