import type { ServingNode } from '../../adapters/cli/spawned-program.ts';
import { fact, type Reply, request } from './backup-place.ts';

const NO_REPLY: Reply = { status: 0, body: undefined };

/** Asserts facts one after another until `stop` is called. */
export class Load {
  /** The ids of the facts in the order in which the node acknowledged them. */
  readonly acknowledged: string[] = [];
  /** When each of them was acknowledged, in milliseconds since the epoch. */
  readonly acknowledgedMs: number[] = [];
  #going = true;
  readonly #done: Promise<void>;

  constructor(node: ServingNode, name: string) {
    this.#done = this.#run(node, name);
  }

  async #run(node: ServingNode, name: string): Promise<void> {
    for (let at = 0; this.#going; at += 1) {
      // Some facts contradict or retract others, so that derived rows exist.
      const asserted = { ...fact(`user:${name}${at % 20}`, `note ${at}`), confidence: at % 17 === 16 ? 0 : 0.9 };
      const { status, body } = await request(node, 'POST', '/v1/facts', asserted).catch(() => NO_REPLY);
      if (status === 0) return;
      if (status !== 201) continue;
      this.acknowledged.push(body.id);
      this.acknowledgedMs.push(Date.now());
    }
  }

  async stop(): Promise<void> {
    this.#going = false;
    await this.#done;
  }
}
