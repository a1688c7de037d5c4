import { expect } from 'chai';
import type { DescribedRoute } from '../../../kernel/description/node-description.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type NodeProcess, NodeProcesses } from '../../kit/node-processes.ts';
import { startTestNode } from '../../kit/start-test-node.ts';
import { drawRequest } from './cost-search.ts';
import { type OrdinaryRequest, ordinaryRoutes, type RealThings } from './ordinary-requests.ts';
import { costOn, type ProcessCost, reportsCosts } from './process-costs.ts';

/** The short run searches nothing, because a process and its many facts take minutes. */
const TRIES = process.env['SVC_TEST_LONG'] === '1' ? 8 : 0;
const SEED = 29;
const KEY = 'ordinary-0123456789abcdef0123456789abcdef0123456789abcdef';
const BATCHES = 3;
const PER_BATCH = 1_000;

interface Row extends ProcessCost {
  readonly route: string;
  /** The number of requests that were not refused. */
  readonly answered: number;
}

const send = ({ url }: NodeProcess, { method, target, body }: Omit<OrdinaryRequest, 'name'>): Promise<Response> =>
  fetch(`${url}${target}`, {
    method,
    headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });

/** Stores rivals of one triple, facts about one entity, and edges and texts about many. */
const fill = async (node: NodeProcess): Promise<RealThings> => {
  const body = {
    raw_key: KEY,
    entity_uri: 'agent:ordinary',
    permissions: ['read', 'write'],
    allowed_scopes: ['company'],
  };
  await node.request('POST', '/v1/auth/keys', body);
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const facts = Array.from({ length: PER_BATCH }, (_, at) => ({
      entity: batch === 2 ? `user:e${at}` : 'user:e1',
      relation: batch === 0 ? 'memory:torn' : `memory:note-${at}`,
      value: at % 2 === 0 ? { type: 'ref', v: `user:e${at}` } : { type: 'string', v: `the answer ${at} is likely` },
      source: 'agent:ordinary',
      scope: 'company',
    }));
    const reply = await send(node, { method: 'POST', target: '/v1/facts/batch', body: facts });
    expect(reply.status, await reply.text()).to.equal(200);
  }
  const newest = await (await send(node, { method: 'GET', target: '/v1/facts?limit=1', body: undefined })).json();
  const about = { entity: 'user:e1', entity_uri: 'user:e1' };
  return { '/v1/facts/': { id: (newest as { facts: { id: string }[] }).facts[0]?.id ?? '' }, '/v1/': about };
};

const columns = ({ route, mainMs, loopMs, memoryMb, answered }: Row): string =>
  [route, ...[mainMs, loopMs, memoryMb, answered].map((figure) => figure.toFixed(0))].join(' | ');

forEachStore('One request of an ordinary key', (kind) => {
  if (TRIES === 0 || !reportsCosts()) return;
  let processes: NodeProcesses;
  let node: NodeProcess;
  let routes: readonly DescribedRoute[];
  let things: RealThings;
  before(async function () {
    this.timeout(240_000);
    const described = await startTestNode();
    routes = ordinaryRoutes((await described.node.describe()).routes);
    await described.stop();
    processes = await NodeProcesses.on(kind);
    [node] = (await processes.start(1)) as [NodeProcess];
    things = await fill(node);
  });
  after(() => processes?.stop());

  it('gets an answer on every route, even the most costly request that a search can find', async function () {
    this.timeout(600_000);
    const { fraction } = createSeededRandom(SEED);
    const rows: Row[] = [];
    for (const route of routes) {
      const name = `${route.method} ${route.path}`;
      let most: Row = { route: name, mainMs: 0, loopMs: 0, memoryMb: 0, answered: 0 };
      for (let at = 0; at < TRIES; at += 1) {
        const request = drawRequest(route, things, fraction, at);
        let isAnswered = false;
        const cost = await costOn(node, async () => {
          const reply = await send(node, request);
          await reply.arrayBuffer();
          isAnswered = reply.ok;
          expect(reply.status, `${name} ${request.target}`).to.be.below(500);
        });
        most = {
          route: name,
          mainMs: Math.max(most.mainMs, cost.mainMs),
          loopMs: Math.max(most.loopMs, cost.loopMs),
          memoryMb: Math.max(most.memoryMb, cost.memoryMb),
          answered: most.answered + Number(isAnswered),
        };
      }
      rows.push(most);
    }
    const title = `route on ${kind} | main thread ms | longest pause ms | memory MB | answered of ${TRIES}`;
    const table = rows.sort((one, other) => other.mainMs - one.mainMs).map(columns);
    process.stdout.write(`\n${[title, ...table].join('\n')}\n`);
    expect(rows.length).to.equal(routes.length);
  });
});
