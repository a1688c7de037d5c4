import { expect } from 'chai';
import type { FactStore, Snapshot, WriteTransaction } from '../../../ports/ports.ts';
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

const RIVALS = 1_000;

/** Counts the turns of the event loop from the last read of winners to the write of former ones. */
class TurnsOfWinners {
  #turns = 0;
  #atRead = 0;
  most = 0;

  async during(work: () => Promise<unknown>): Promise<number> {
    let isOver = false;
    const tick = (): void => {
      this.#turns += 1;
      if (!isOver) setImmediate(tick);
    };
    setImmediate(tick);
    this.most = 0;
    await work();
    isOver = true;
    return this.most;
  }

  watch(store: FactStore): FactStore {
    const write: FactStore['write'] = (tenantId, work) => store.write(tenantId, (one) => work(this.#watched(one)));
    return withMember(store, 'write', write);
  }

  #watched(transaction: WriteTransaction): WriteTransaction {
    const select: WriteTransaction['select'] = (table, ...rest) => {
      if (table === 'conflicts_wins') this.#atRead = this.#turns;
      return transaction.select(table, ...rest);
    };
    const insertRows: WriteTransaction['insertRows'] = (table, rows) => {
      if (table === 'conflicts_past_wins') this.most = Math.max(this.most, this.#turns - this.#atRead);
      return transaction.insertRows(table, rows);
    };
    return withMember(withMember(transaction, 'select', select), 'insertRows', insertRows);
  }
}

const withMember = <T extends object, K extends keyof T>(target: T, name: K, member: T[K]): T =>
  new Proxy(target, {
    get(_, asked) {
      if (asked === name) return member;
      const own: unknown = Reflect.get(target, asked);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });

forEachStore('A client writes many rivals of one fact (I21)', () => {
  it('and the node lets other work run while it finds the winner after each of them', async () => {
    const turns = new TurnsOfWinners();
    const node = await startTestNode({ wrapStore: (store) => turns.watch(store) });
    const key = await node.addKey({ entityUri: 'agent:a' });
    const body = Array.from({ length: RIVALS }, (_, at) => ({
      entity: 'user:contested',
      relation: 'memory:note',
      value: { type: 'string', v: `fact ${at}` },
      source: 'agent:a',
      scope: 'company',
    }));
    const send = async () =>
      expect((await node.request('POST', '/v1/facts/batch', { key, body })).status).to.equal(200);
    expect(await turns.during(send)).to.be.at.least(30);
    await node.stop();
  });
});

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
      // Work of the node itself may share a turn with the request.
      const counts = [await rows.during(send), await rows.during(send), await rows.during(send)];
      expect(Math.min(...counts)).to.be.at.most(MOST_ROWS);
    });
  }

  it('a request for completions reads one member of each fact', async () => {
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
