import { AsyncLocalStorage } from 'node:async_hooks';
import { expect } from 'chai';
import type { Random } from '../../../kernel/plugin-api.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

/** A request of one of the callers. */
export interface TwinRequest {
  readonly method: string;
  readonly target: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Caller = 'operator' | 'keeper' | 'reader' | 'foreigner';

const CALLERS = {
  operator: { permissions: ['read', 'write', 'admin'] },
  keeper: { permissions: ['read', 'write'] },
  reader: { permissions: ['read', 'write'], scopes: ['local', 'team'] },
  foreigner: { permissions: ['read', 'write'], tenantId: 'elsewhere' },
} as const;

const PLUGINS = [
  'audit',
  'cards',
  'conflicts',
  'facts',
  'gardens',
  'graph',
  'keys',
  'lint',
  'multi-tenant',
  'node-info',
  'relations',
  'synthesis',
  'time-travel',
  'tombstones',
];
const PAUSE_MS = 20;

interface Twin {
  readonly node: TestNode;
  readonly keys: ReadonlyMap<Caller, string>;
  /** Calls `work` with a random source that no other call changes. */
  duringOwn<T>(seed: number, work: () => Promise<T>): Promise<T>;
}

const startTwin = async (mode: 'record' | 'strict'): Promise<Twin> => {
  const own = new AsyncLocalStorage<Random>();
  const others = createSeededRandom();
  const current = (): Random => own.getStore() ?? others;
  const random: Random = {
    bytes: (length) => current().bytes(length),
    fraction: () => current().fraction(),
    uuid: () => current().uuid(),
  };
  const node = await startTestNode({
    plugins: PLUGINS,
    settings: { conflicts: { mode } },
    env: { SVC_MULTI_TENANT_ENABLED: 'true', SVC_TOMBSTONES_ENABLED: 'true' },
    random,
  });
  const keys = new Map<Caller, string>();
  for (const [name, options] of Object.entries(CALLERS)) {
    keys.set(name as Caller, await node.addKey({ entityUri: `agent:${name}`, ...options }));
  }
  return { node, keys, duringOwn: (seed, work) => own.run(createSeededRandom(seed), work) };
};

/** Two nodes with the same history, one of which also has facts that the reader must not see. */
export class TwinNodes {
  readonly #plain: Twin;
  readonly #haunted: Twin;
  #step = 0;
  /** Seeds of the hidden requests, far from those that both nodes get. */
  #hiddenStep = 1_000_000;

  private constructor(plain: Twin, haunted: Twin) {
    this.#plain = plain;
    this.#haunted = haunted;
  }

  static async start(mode: 'record' | 'strict'): Promise<TwinNodes> {
    return new TwinNodes(await startTwin(mode), await startTwin(mode));
  }

  async stop(): Promise<void> {
    await this.#plain.node.stop();
    await this.#haunted.node.stop();
  }

  get nowMs(): number {
    return this.#plain.node.clock.nowMs();
  }

  /** Sends a request to both nodes. Fails unless both replies are equal, byte for byte. */
  async both(caller: Caller, request: TwinRequest): Promise<string> {
    this.#step += 1;
    await this.#pass();
    const expected = await this.#send(this.#plain, this.#step, caller, request);
    const actual = await this.#send(this.#haunted, this.#step, caller, request);
    if (caller === 'reader') expect(actual, `step ${this.#step}: ${JSON.stringify(request)}`).to.equal(expected);
    return expected;
  }

  /** Sends a request to the node with hidden facts only, and returns its reply. */
  async hide(caller: Caller, request: TwinRequest): Promise<string> {
    this.#hiddenStep += 1;
    await this.#pass();
    return this.#send(this.#haunted, this.#hiddenStep, caller, request);
  }

  /** Stamps hold no trace of hidden facts of another millisecond. */
  async #pass(): Promise<void> {
    for (const { node } of [this.#plain, this.#haunted]) await node.clock.advance(PAUSE_MS);
  }

  async #send(twin: Twin, seed: number, caller: Caller, { method, target, ...sent }: TwinRequest): Promise<string> {
    const headers = { 'X-Request-Id': 'same', ...sent.headers };
    const options = { key: twin.keys.get(caller) ?? '', headers, ...(sent.body !== undefined && { body: sent.body }) };
    const reply = await twin.duringOwn(seed, () => twin.node.request(method, target, options));
    return `${reply.status} ${JSON.stringify(reply.headers)} ${reply.text}`;
  }
}
