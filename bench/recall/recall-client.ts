import { randomUUID } from 'node:crypto';
import { postRequest } from '../load/post-request.ts';
import { RawConnection } from '../load/raw-connection.ts';
import type { ServerProcess } from '../processes/child-process.ts';
import { type CorpusRow, rowToFact } from '../row-to-fact.ts';

const ROWS_PER_BATCH = 250;
const POLL_LIMIT_MS = 3_600_000;
const PROBE_WORDS = 6;
/** The first pause between polls. Pauses grow, because polling takes time from the awaited work. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

export interface RecalledFact {
  readonly fact: { readonly id: string; readonly entity: string };
  readonly score: number;
}

export interface RecallAnswer {
  readonly facts: readonly RecalledFact[];
  readonly tokens_used: number;
  /** The stages that are missing from the answer. */
  readonly degraded?: readonly string[];
}

/** A client of one node, with one connection and one request at a time. */
export class RecallClient {
  readonly #connection: RawConnection;
  readonly #key: string;

  private constructor(connection: RawConnection, key: string) {
    this.#connection = connection;
    this.#key = key;
  }

  static async open(server: Pick<ServerProcess, 'port' | 'key'>): Promise<RecallClient> {
    return new RecallClient(await RawConnection.open(server.port), server.key);
  }

  close(): void {
    this.#connection.close();
  }

  /** Stores the rows in order. One request holds the rows of one session. */
  async load(rows: readonly CorpusRow[]): Promise<void> {
    let batch: ReturnType<typeof rowToFact>[] = [];
    const send = async (): Promise<void> => {
      if (batch.length === 0) return;
      const answer = await this.#post<{ accepted: number }>(
        '/v1/facts/batch',
        batch.map(({ body }) => body),
        {
          'Svc-Session': batch[0]?.session ?? '',
        },
      );
      if (answer.accepted !== batch.length) throw new Error('a batch was not accepted as a whole');
      batch = [];
    };
    for (const row of rows.map(rowToFact)) {
      if (batch.length === ROWS_PER_BATCH || (batch[0] !== undefined && batch[0].session !== row.session)) await send();
      batch.push(row);
    }
    await send();
  }

  recall(request: Readonly<Record<string, unknown>>): Promise<RecallAnswer> {
    return this.#post<RecallAnswer>('/v1/recall', request);
  }

  /** Returns the milliseconds from the request to the end of its answer, which is not parsed. */
  async timeRecall(request: Readonly<Record<string, unknown>>): Promise<number> {
    const sent = postRequest(this.#key, '/v1/recall', request);
    const began = performance.now();
    await new Promise<void>((resolve, reject) => {
      this.#connection.send(
        sent,
        (status) => (status === 200 ? resolve() : reject(refused('a recall', status))),
        reject,
      );
    });
    return performance.now() - began;
  }

  /**
   * Waits until all facts have vectors. Facts get them in the order of the feed, so it adds one more fact and searches
   * for it. The words of that fact are unique, because the vector stage returns nothing unless a fact stands out.
   */
  async untilEmbedded(): Promise<void> {
    const text = Array.from({ length: PROBE_WORDS }, () => Math.random().toString(36).slice(2, 10)).join(' ');
    const entity = `probe:${randomUUID()}`;
    await this.#post('/v1/facts/batch', [
      { entity, relation: 'probe:text', value: { type: 'text', v: text }, source: 'agent:bench', scope: 'local' },
    ]);
    const request = { query: text, weights: { vector: 1 }, token_budget: 200_000, depth: 0 };
    const deadline = performance.now() + POLL_LIMIT_MS;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.2)) {
      const { facts } = await this.recall(request);
      if (facts.some(({ fact }) => fact.entity === entity)) return;
      if (performance.now() > deadline) throw new Error('the facts were not embedded in time');
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  async #post<T>(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<T> {
    const reply = await this.#connection.exchange(postRequest(this.#key, path, body, headers));
    if (reply.status !== 200) throw refused(path, reply.status, reply.text);
    return JSON.parse(reply.text) as T;
  }
}

const refused = (what: string, status: number, text = ''): Error =>
  new Error(`${what} was answered ${status}: ${text.slice(0, 500)}`);
