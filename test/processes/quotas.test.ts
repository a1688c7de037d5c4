import { expect } from 'chai';
import { fewPlugins } from '../kit/few-plugins.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { type NodeProcess, NodeProcesses, type NodeReply } from '../kit/node-processes.ts';

const PROCESSES = 3;
const PER_MINUTE = 100;
/** Five times as many writes as the quota admits. */
const WRITES = 5 * PER_MINUTE;
const VARIABLES = { SVC_RATE_LIMITS: `fact_write=${PER_MINUTE}` };

/** Returns the number of requests that a full bucket and the elapsed time admit. */
const mostAfter = (sinceMs: number): number =>
  PER_MINUTE + Math.ceil(((performance.now() - sinceMs) * PER_MINUTE) / 60_000);

const withStatus = (replies: readonly NodeReply[], status: number): readonly NodeReply[] =>
  replies.filter((reply) => reply.status === status);

forEachStore('A quota shared by several processes', (store) => {
  let processes: NodeProcesses;
  beforeEach(async () => {
    processes = await NodeProcesses.on(store, fewPlugins('rate-limits'));
  });
  afterEach(() => processes?.stop());

  const addKey = async (node: NodeProcess, name: string, entityUri: string): Promise<string> => {
    const key = `quota-${name}-0123456789abcdef0123456789`;
    const body = { raw_key: key, entity_uri: entityUri, permissions: ['read', 'write'] };
    expect((await node.request('POST', '/v1/auth/keys', body)).status).to.equal(201);
    return key;
  };
  const write = (node: NodeProcess, key: string, n: number): Promise<NodeReply> =>
    node.request(
      'POST',
      '/v1/facts',
      { entity: `thing:${key}-${n}`, relation: 'memory:note', value: { type: 'number', v: n }, source: 'agent:a' },
      { Authorization: `Bearer ${key}`, 'X-Forwarded-For': `10.1.${n % 200}.1` },
    );

  it('admits its number of writes once in total, loses none of them, and does not affect other callers', async function () {
    this.timeout(300_000);
    const nodes = await processes.start(PROCESSES, VARIABLES);
    const nodeOf = (n: number): NodeProcess => nodes[n % PROCESSES] as NodeProcess;
    const keys = [await addKey(nodeOf(0), 'one', 'agent:busy'), await addKey(nodeOf(0), 'two', 'agent:busy')];
    const other = await addKey(nodeOf(0), 'three', 'agent:other');
    const startedMs = performance.now();
    const writes = Array.from({ length: WRITES }, (_, n) => write(nodeOf(n), keys[n % 2] as string, n));
    const others = Array.from({ length: 20 }, (_, n) => write(nodeOf(n), other, n));
    const health = nodes.map((node) => node.isHealthy());
    const [replies, ofOthers] = [await Promise.all(writes), await Promise.all(others)];

    const stored = withStatus(replies, 201);
    const refused = withStatus(replies, 429);
    expect(stored.length + refused.length, 'nothing but 201 and 429').to.equal(WRITES);
    expect(stored.length).to.be.at.most(mostAfter(startedMs));
    // Each process may have unused tokens that the others lack.
    expect(stored.length).to.be.at.least(PER_MINUTE - (PROCESSES * PER_MINUTE) / 10);
    for (const { body, headers } of refused) {
      expect(body).to.deep.include({ code: 'quota_exceeded', dimension: 'fact_write' });
      expect(Number(headers['retry-after'])).to.equal(body.retry_after).and.to.be.at.least(1);
    }
    expect(withStatus(ofOthers, 201)).to.have.length(20);
    expect(await Promise.all(health)).to.deep.equal(nodes.map(() => true));
    const { total } = (await nodeOf(0).request('GET', '/v1/facts?relation=memory:note&limit=1')).body;
    expect(total).to.equal(stored.length + 20);

    // A restart does not refill the quota.
    await Promise.all(nodes.map((node) => node.end('SIGKILL')));
    const [again] = (await processes.start(1, VARIABLES)) as [NodeProcess];
    const later = await Promise.all(
      Array.from({ length: PER_MINUTE }, (_, n) => write(again, keys[0] as string, WRITES + n)),
    );
    expect(stored.length + withStatus(later, 201).length).to.be.at.most(mostAfter(startedMs));
  });
});
