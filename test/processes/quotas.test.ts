import { expect } from 'chai';
import { forEachStore } from '../kit/for-each-store.ts';
import { type NodeProcess, NodeProcesses, type NodeReply } from '../kit/node-processes.ts';

const LIMIT = 100;
const WRITES = 150;
const PROCESSES = 3;
/** What each process may hold besides, as the page of limits says. */
const SHARE = LIMIT / 10;

const rawKey = (word: string): string => `${word}-`.padEnd(40, 'k');

forEachStore('The quota of an entity over several processes', (kind) => {
  let processes: NodeProcesses;
  let nodes: NodeProcess[];
  before(async function () {
    this.timeout(300_000);
    processes = await NodeProcesses.on(kind);
    const [first] = await processes.start(1, { SVC_RATE_LIMITS: `fact_write=${LIMIT}` });
    for (const [word, entity_uri] of [
      ['one', 'agent:busy'],
      ['two', 'agent:busy'],
      ['calm', 'agent:calm'],
    ] as const) {
      const body = { raw_key: rawKey(word), entity_uri };
      expect((await (first as NodeProcess).request('POST', '/v1/auth/keys', body)).status).to.equal(201);
    }
    await processes.start(PROCESSES - 1, { SVC_RATE_LIMITS: `fact_write=${LIMIT}` });
    nodes = [...processes.running];
  });
  after(() => processes?.stop());

  let facts = 0;
  const write = (at: number, key: string): Promise<NodeReply> => {
    facts += 1;
    const body = {
      entity: `thing:${facts}`,
      relation: 'memory:colour',
      value: { type: 'string', v: 'red' },
      source: 'agent:busy',
    };
    const headers = { Authorization: `Bearer ${rawKey(key)}`, 'X-Forwarded-For': `10.1.${at}.${facts % 250}` };
    return (nodes[at % PROCESSES] as NodeProcess).request('POST', '/v1/facts', body, headers);
  };

  it('lets no more in than is documented, and leaves others alone', async function () {
    this.timeout(300_000);
    const beganMs = performance.now();
    const busy = Array.from({ length: WRITES }, (_, n) => write(n, n % 2 === 0 ? 'one' : 'two'));
    const calm = Array.from({ length: 9 }, (_, n) => write(n, 'calm'));
    const [replies, others] = await Promise.all([Promise.all(busy), Promise.all(calm)]);
    const refilled = Math.ceil(((performance.now() - beganMs) / 60_000) * LIMIT);
    const stored = replies.filter(({ status }) => status === 201);
    const refused = replies.filter(({ status }) => status === 429);
    expect(stored.length + refused.length).to.equal(WRITES);
    expect(stored.length).to.be.at.most(LIMIT + PROCESSES * SHARE + refilled);
    // The other two processes may hold a share each that the last one lacks.
    expect(stored.length).to.be.at.least(LIMIT - PROCESSES * SHARE);
    for (const { headers, body } of refused) {
      expect(body).to.deep.include({ code: 'quota_exceeded', dimension: 'fact_write' });
      expect(Number(headers['retry-after'])).to.equal(body.retry_after).and.to.be.at.least(1);
    }
    expect(others.map(({ status }) => status)).to.deep.equal(others.map(() => 201));
  });
});
