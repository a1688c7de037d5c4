import { expect } from 'chai';
import { type FactStore, ServiceError } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

forEachStore('the audit entry of a recall', () => {
  let node: TestNode;
  let key: string;
  let isFull: boolean;
  beforeEach(async () => {
    isFull = false;
    node = await startTestNode({
      plugins: ['keys', 'facts', 'conflicts', 'gardens', 'recall', 'search', 'audit'],
      wrapStore: (store) =>
        new Proxy(store, {
          get(target, name) {
            const member: unknown = Reflect.get(target, name);
            if (typeof member !== 'function') return member;
            if (name !== 'write' || !isFull) return member.bind(target);
            return (..._: Parameters<FactStore['write']>) =>
              Promise.reject(new ServiceError('unavailable', 'the disk is full'));
          },
        }),
    });
    key = await node.addKey({ entityUri: 'agent:reader', permissions: ['read', 'write', 'audit.read'] });
    const body = { entity: 'user:a', relation: 'memory:note', value: { type: 'text', v: 'an oak' }, source: 'agent:s' };
    expect((await node.request('POST', '/v1/facts', { key, body })).status).to.equal(201);
  });
  afterEach(() => node.stop());

  const recall = () => node.request('POST', '/v1/recall', { key, body: { query: 'oak', token_budget: 500 } });
  const ids = async (path: string): Promise<string[]> => {
    const { body } = await node.request('GET', path, { key });
    return (body.entries as { detail: { recall_id: string } }[]).map(({ detail }) => detail.recall_id);
  };

  it('is in the log when the log is next read, in the order of recalls, with a valid chain', async () => {
    const answered: string[] = [];
    for (let n = 0; n < 3; n += 1) answered.push((await recall()).body.recall_id);
    expect(await ids('/v1/auth/audit?event_type=fact_read')).to.deep.equal(answered);
    const last = (await recall()).body.recall_id;
    expect((await node.request('GET', '/v1/audit/verify', { key })).body).to.include({ ok: true });
    expect(await ids('/v1/auth/audit?event_type=fact_read')).to.deep.equal([...answered, last]);
  });

  it('is in the exported log', async () => {
    await recall();
    const csv = await node.request('GET', '/v1/audit/export', { key });
    expect(csv.text.split('fact_read')).to.have.length(2);
  });

  it('is kept until it can be stored; recalls are refused if there is no room for more', async () => {
    const first = (await recall()).body.recall_id;
    isFull = true;
    await node.clock.advance(1_000);
    const refused = await recall();
    expect([refused.status, refused.body.code]).to.deep.equal([503, 'unavailable']);
    isFull = false;
    const second = (await recall()).body.recall_id;
    expect(await ids('/v1/auth/audit?event_type=fact_read')).to.deep.equal([first, second]);
  });
});

describe('the audit entry of a recall, when the node stops', () => {
  it('is stored before the node has stopped', () =>
    inTemporaryFolder(async (folder) => {
      const plugins = ['keys', 'facts', 'conflicts', 'gardens', 'recall', 'search', 'audit'];
      const first = await startTestNode({ plugins, folder });
      const key = await first.addKey({ permissions: ['read', 'write', 'audit.read'] });
      const reply = await first.request('POST', '/v1/recall', { key, body: { query: 'oak', token_budget: 500 } });
      await first.stop();
      const second = await startTestNode({ plugins, folder });
      const log = await second.request('GET', '/v1/auth/audit?event_type=fact_read', { key });
      await second.stop();
      expect(log.text).to.contain(reply.body.recall_id);
    }));
});
