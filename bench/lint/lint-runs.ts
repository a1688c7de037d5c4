import { setTimeout as pause } from 'node:timers/promises';
import type { ServerProcess } from '../processes/child-process.ts';

const LOOK_MS = 100;
/**
 * The first value of a parameter that makes each request different, so that each gets a job of its own. No fact ends
 * that far ahead.
 */
const FIRST_LOOKAHEAD_S = 60;

/** The members of a job reply that the bench reads. */
interface ShownJob {
  readonly status: string;
  readonly error?: string;
  readonly fact_count?: number;
  readonly findings?: readonly unknown[];
  readonly truncated?: boolean;
}

/** Starts jobs that lint the whole store of a node. */
export class LintRuns {
  readonly #node: ServerProcess;
  #asked = 0;

  constructor(node: ServerProcess) {
    this.#node = node;
  }

  /** Starts a job, and returns its id once it is running. */
  async start(): Promise<string> {
    this.#asked += 1;
    const body = { scope: 'all', stale_lookahead_s: FIRST_LOOKAHEAD_S + this.#asked };
    const { status, document } = await this.#send('POST', '/v1/lint', body);
    if (status !== 202) throw new Error(`lint was answered ${status}: the store is too small for a job`);
    const id = String(document['job_id']);
    while ((await this.show(id)).status === 'pending') await pause(LOOK_MS);
    return id;
  }

  async show(id: string): Promise<ShownJob> {
    return (await this.#send('GET', `/v1/jobs/${id}`)).document as unknown as ShownJob;
  }

  /** Waits until the job has ended, and calls `look` between the requests. */
  async end(id: string, look: () => void = () => {}): Promise<ShownJob> {
    for (;;) {
      const job = await this.show(id);
      if (job.status === 'failed') throw new Error(`the lint failed: ${job.error}`);
      if (job.status === 'done') return job;
      look();
      await pause(LOOK_MS);
    }
  }

  async cancel(id: string): Promise<void> {
    await this.#send('DELETE', `/v1/jobs/${id}`);
  }

  /** Runs one job after another while `work` is pending, and returns the result of `work`. Cancels the last job. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    let isOver = false;
    let id = await this.start();
    const going = (async () => {
      while (!isOver) {
        if ((await this.show(id)).status !== 'running') id = await this.start();
        await pause(LOOK_MS);
      }
    })();
    try {
      return await work();
    } finally {
      isOver = true;
      await going;
      await this.cancel(id);
    }
  }

  async #send(method: string, path: string, body?: object) {
    const reply = await fetch(`http://127.0.0.1:${this.#node.port}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.#node.key}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok && reply.status !== 409) throw new Error(`${method} ${path} was answered ${reply.status}: ${text}`);
    return { status: reply.status, document: JSON.parse(text || '{}') as Readonly<Record<string, unknown>> };
  }
}
