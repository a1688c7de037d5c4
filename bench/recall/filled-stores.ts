import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchPlace } from '../processes/bench-place.ts';
import { type NodeProcess, startNodeIn } from '../processes/start-node.ts';
import { loadFacts } from './load-facts.ts';

/**
 * Provides stores of growing size. With a folder, each size has a store that stays there for the next run; without one,
 * a single store grows.
 */
export class FilledStores {
  readonly #place: BenchPlace;
  readonly #folder: string | undefined;
  readonly #env: NodeJS.ProcessEnv;
  #node: NodeProcess | undefined;
  #facts = 0;

  constructor(place: BenchPlace, folder: string | undefined, env: NodeJS.ProcessEnv) {
    this.#place = place;
    this.#folder = folder;
    this.#env = env;
  }

  /** Returns a node on a store of this many facts, all of them with vectors. The number must grow from call to call. */
  async grownTo(facts: number): Promise<NodeProcess> {
    const node = this.#folder === undefined ? await this.#grown(facts) : await this.#kept(this.#folder, facts);
    this.#node = node;
    this.#facts = facts;
    return node;
  }

  /** Notes that another process now serves the store. */
  use(node: NodeProcess): void {
    this.#node = node;
  }

  async close(): Promise<void> {
    if (this.#folder === undefined) await this.#node?.stop();
    else await this.#node?.end();
  }

  async #grown(facts: number): Promise<NodeProcess> {
    const node = this.#node ?? (await this.#place.startNodes({ env: this.#env }))[0];
    if (node === undefined) throw new Error('no node was started');
    this.#node = node;
    await loadFacts(node, this.#facts, facts);
    return node;
  }

  async #kept(folder: string, facts: number): Promise<NodeProcess> {
    await this.#node?.end();
    const own = join(folder, String(facts));
    if (existsSync(own)) return startNodeIn(own, { env: this.#env });
    // Uses a temporary name, so that an incomplete store never has the final name.
    const part = join(folder, `${facts}.part`);
    await rm(part, { recursive: true, force: true });
    if (this.#facts > 0) await cp(join(folder, String(this.#facts)), part, { recursive: true });
    else await mkdir(part, { recursive: true });
    const node = await startNodeIn(part, { env: this.#env });
    this.#node = node;
    await loadFacts(node, this.#facts, facts);
    await node.end();
    await rename(part, own);
    return startNodeIn(own, { env: this.#env });
  }
}
