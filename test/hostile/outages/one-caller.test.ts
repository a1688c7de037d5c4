import { expect } from 'chai';
import { MAX_PERSON_COST } from '../../../kernel/http/person-turns.ts';
import { Turns } from '../../../kernel/plugin-api.ts';
import { createStoreCounter } from '../../fakes/counting-store.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { post } from '../../plugins/mcp/mcp-kit.ts';
import { largestRequest, type OrdinaryRequest, ordinaryRoutes } from './ordinary-requests.ts';
import { type TurnWatch, watchTurns } from './watch-turns.ts';

const AT_ONCE = 6;
const FACTS = 240;
/** The statements of one request may read the same fact several times. */
const ROWS_A_UNIT = 5;
const FEW_ROWS = 20;
/** Equal requests share one run. */
const SHARES_RUNS = /\/v1\/lint$/;

const COMPLETION = {
  jsonrpc: '2.0',
  id: 1,
  method: 'completion/complete',
  params: { ref: { type: 'ref/resource', uri: 'memory://card/{entity}' }, argument: { name: 'entity', value: 'e' } },
};

forEachStore('A client sends many requests at once (I21)', () => {
  const counter = createStoreCounter();
  let node: TestNode;
  /** Two keys of one person. */
  let loaders: readonly string[];
  let reader: string;
  let requests: readonly OrdinaryRequest[];
  let watch: TurnWatch;
  before(async () => {
    node = await startTestNode({ wrapStore: counter.count });
    loaders = [await node.addKey({ entityUri: 'agent:a' }), await node.addKey({ entityUri: 'agent:a' })];
    reader = await node.addKey({ entityUri: 'agent:b' });
    const body = Array.from({ length: FACTS }, (_, at) => ({
      entity: at % 2 === 0 ? 'user:e1' : `user:e${at % 60}`,
      relation: `memory:note-${at}`,
      value: { type: 'string', v: `fact ${at}` },
      source: 'agent:a',
      scope: 'company',
    }));
    await node.request('POST', '/v1/facts/batch', { key: loaders[0] as string, body });
    const newest = await node.request('GET', '/v1/facts?limit=1', { key: reader });
    const things = {
      '/v1/facts/': { id: newest.body.facts[0].id },
      '/v1/': { entity: 'user:e1', entity_uri: 'user:e1' },
    };
    const { routes } = await node.node.describe();
    requests = ordinaryRoutes(routes).map((route) => largestRequest(route, things));
    watch = watchTurns(node.kernel.get(Turns), { ofPerson: MAX_PERSON_COST, withCheap: 2 * MAX_PERSON_COST });
  });
  after(() => node?.stop());

  /** Sends the request many times as one person, then once as another. Returns the faults. */
  const faultsOf = async (name: string, send: (key: string) => Promise<number>): Promise<string[]> => {
    watch.reset();
    const load = Array.from({ length: AT_ONCE }, (_, at) => send(loaders[at % loaders.length] as string));
    const statuses = await Promise.all([...load, send(reader)]);
    const { excess, mostOvertaken, waited, highestCost } = watch;
    const mustWait = highestCost * AT_ONCE > 2 * MAX_PERSON_COST && !SHARES_RUNS.test(name);
    return [
      ...statuses.filter((status) => status >= 500).map((status) => `${name}: ${status}`),
      ...(excess > 0 ? [`${name}: ${excess} rows above the limit are in progress`] : []),
      ...(mostOvertaken > 1 ? [`${name}: ${mostOvertaken} costly requests overtake that of another person`] : []),
      ...(mustWait && waited === 0 ? [`${name}: no request waits`] : []),
    ];
  };

  it('every route bounds the concurrent work of one person, and the request of another person comes next', async function () {
    this.timeout(120_000);
    expect(requests.length).to.be.greaterThan(40);
    const faults: string[] = [];
    for (const { name, method, target, body } of requests) {
      const send = async (key: string) => (await node.request(method, target, { key, body })).status;
      faults.push(...(await faultsOf(name, send)));
    }
    faults.push(...(await faultsOf('a completion', async (key) => (await post(node, key, COMPLETION)).status)));
    expect(faults).to.deep.equal([]);
  });

  it('every route declares a cost close to the number of rows that it reads', async function () {
    this.timeout(120_000);
    const faults: string[] = [];
    for (const { name, method, target, body } of requests) {
      watch.reset();
      const { rows } = await counter.during(() => node.request(method, target, { key: reader, body }));
      if (rows > ROWS_A_UNIT * watch.highestCost + FEW_ROWS) faults.push(`${name}: ${rows} of ${watch.highestCost}`);
    }
    expect(faults).to.deep.equal([]);
  });
});
