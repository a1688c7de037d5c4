import { setTimeout as pause } from 'node:timers/promises';
import type { PageMachine } from '../plugins/backup/page-machine.ts';

const RETRY_MS = 50;
const PAGE_LIMIT = 500;

/** A fact that a node has acknowledged. */
export interface Acknowledged {
  readonly id: string;
  /** When its request began, and when the reply had arrived. */
  readonly begunMs: number;
  readonly ackedMs: number;
  /** The milliseconds of its stamp. */
  readonly wallMs: number;
}

interface Stored {
  readonly id: string;
  readonly hlc: string;
}

/** Clients of a node on a machine, each of which asserts one fact after another until `stop` is called. */
export class AssertingClients {
  readonly acknowledged: Acknowledged[] = [];
  readonly #machine: PageMachine;
  readonly #done: Promise<unknown>;
  #isOver = false;

  constructor(machine: PageMachine, count: number) {
    this.#machine = machine;
    this.#done = Promise.all(Array.from({ length: count }, (_, at) => this.#run(`user:c${at}`)));
  }

  acknowledgedBefore(ms: number): readonly Acknowledged[] {
    return this.acknowledged.filter(({ ackedMs }) => ackedMs < ms);
  }

  begunAfter(ms: number): readonly Acknowledged[] {
    return this.acknowledged.filter(({ begunMs }) => begunMs > ms);
  }

  async assert(entity: string, note = 'a note'): Promise<Stored> {
    const value = { type: 'string', v: note };
    const body = { entity, relation: 'x:note', value, source: 'agent:writer', scope: 'company' };
    const reply = await this.#machine.request('POST', '/v1/facts', body);
    if (reply.status !== 201) throw new Error(`status ${reply.status}: ${await reply.text()}`);
    return (await reply.json()) as Stored;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#done;
  }

  /** Returns the ids of all facts of these clients that the node has now. */
  async idsThere(): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    let cursor: string | null = null;
    do {
      const from: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const path = `/v1/facts?relation=x:note&include_contradicted=true&limit=${PAGE_LIMIT}${from}`;
      const reply = await this.#machine.request('GET', path);
      const page = (await reply.json()) as { readonly facts: readonly Stored[]; readonly cursor?: string | null };
      for (const { id } of page.facts) ids.add(id);
      cursor = page.cursor ?? null;
    } while (cursor !== null);
    return ids;
  }

  async #run(entity: string): Promise<void> {
    for (let at = 0; !this.#isOver; at += 1) {
      const begunMs = Date.now();
      try {
        const { id, hlc } = await this.assert(entity, `note ${at}`);
        this.acknowledged.push({ id, begunMs, ackedMs: Date.now(), wallMs: Number(hlc.split('.')[0]) });
      } catch {
        // The database is away. Nothing was acknowledged.
        await pause(RETRY_MS);
      }
    }
  }
}
