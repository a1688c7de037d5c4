import { expect } from 'chai';
import type { FactStore, Snapshot } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { post } from '../../plugins/mcp/mcp-kit.ts';

const FACTS = 1_500;
const AT_ONCE = 500;
/** More than the rows of a statement, since statements may run in parallel. All pages together have more. */
const MOST_ROWS = 1_500;

/** Counts the rows that statements return in each turn of the event loop. */
class RowsOfTurns {
  #ofTurn = 0;
  #most = 0;

  async during(work: () => Promise<unknown>): Promise<number> {
    let isOver = false;
    const tick = (): void => {
      this.#ofTurn = 0;
      if (!isOver) setImmediate(tick);
    };
    this.#most = 0;
    this.#ofTurn = 0;
    setImmediate(tick);
    await work();
    isOver = true;
    return this.#most;
  }

  watch(store: FactStore): FactStore {
    const read: FactStore['read'] = (work) => store.read((snapshot) => work(this.#watched(snapshot)));
    return new Proxy(store, {
      get(target, name) {
        if (name === 'read') return read;
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }

  #watched(snapshot: Snapshot): Snapshot {
    const count = (result: unknown): void => {
      if (Array.isArray(result)) this.#ofTurn += result.length;
      this.#most = Math.max(this.#most, this.#ofTurn);
    };
    return new Proxy(snapshot, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...asked: unknown[]): unknown => {
          const result: unknown = member.apply(target, asked);
          if (name === 'table') return (result as ReturnType<Snapshot['table']>).on('query-response', count);
          if (!(result instanceof Promise)) return result;
          return result.then((value: unknown) => {
            count(value);
            return value;
          });
        };
      },
    });
  }
}

forEachStore('A client asks for everything (I21)', () => {
  const rows = new RowsOfTurns();
  let node: TestNode;
  let key: string;
  before(async function () {
    this.timeout(60_000);
    node = await startTestNode({ wrapStore: (store) => rows.watch(store) });
    key = await node.addKey({ entityUri: 'agent:a' });
    for (let from = 0; from < FACTS; from += AT_ONCE) {
      const body = Array.from({ length: AT_ONCE }, (_, at) => ({
        entity: `user:e${(from + at) % 700}`,
        relation: 'memory:note',
        value: { type: 'string', v: `fact ${from + at}` },
        source: 'agent:a',
        scope: 'company',
      }));
      expect((await node.request('POST', '/v1/facts/batch', { key, body })).status).to.equal(200);
    }
  });
  after(() => node?.stop());

  for (const target of [
    '/v1/facts?limit=500&include_contradicted=true',
    '/v1/conflicts?limit=500',
    '/v1/synthesis?limit=1000',
    '/v1/lint',
    '/v1/audit?limit=500',
    '/v1/audit/export?format=csv',
    '/v1/audit/export?format=jsonl',
  ]) {
    it(`GET ${target} lets other work run after each page of rows`, async () => {
      const send = async () => expect((await node.request('GET', target, { key })).status).to.equal(200);
      expect(await rows.during(send)).to.be.at.most(MOST_ROWS);
    });
  }

  it('a completion reads one member of each fact', async () => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'completion/complete',
      params: {
        ref: { type: 'ref/resource', uri: 'memory://card/{entity}' },
        argument: { name: 'entity', value: 'user:e6' },
      },
    };
    const { result } = (await post(node, key, body)).body;
    expect(result.completion.values.length).to.be.greaterThan(50);
  });
});
