import { expect } from 'chai';
import type { StoredFact } from '../../../kernel/plugin-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { factById } from '../../kit/fact-samples.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody } from './fact-bodies.ts';

forEachStore('reading one fact', () => {
  let node: TestNode;
  let key: string;

  beforeEach(async () => {
    node = await startTestNode({ plugins: ['facts', 'audit'] });
    key = await node.addKey();
  });

  afterEach(() => node.stop());

  const assert = async (changes: Record<string, unknown> = {}) =>
    (await node.request('POST', '/v1/facts', { key, body: factBody(changes) })).body;
  const get = (path: string, as = key) => node.request('GET', path, { key: as });

  /** Stores a row whose content id does not match its content, as external damage would. */
  const storeDamaged = async (id: string, entity = 'user:damaged'): Promise<string> => {
    const intact = await assert({ entity });
    const store = node.kernel.get(FactStore);
    await store.write('default', async (transaction) => {
      const fact = (await factById(transaction, intact.id)) as StoredFact;
      const feed = { wallMs: fact.feed.wallMs + 1, counter: 0 };
      await transaction.insert([{ ...fact, id, feed, hlc: feed, source: 'agent:forged' }]);
    });
    return intact.id;
  };

  it('finds a live, expired, retracted or superseded fact', async () => {
    const brief = await assert({ valid_until: '2026-03-02T09:00:02Z' });
    await assert({ confidence: 0 });
    await node.clock.advance(5000);
    expect((await get(`/v1/facts/${brief.id}`)).body).to.deep.equal({ ...brief, ended: 'retracted' });
  });

  it('finds the newest visible fact with a content id, written raw or encoded', async () => {
    const first = await assert({ valid_until: '2027-01-01T00:00:00Z' });
    const second = await assert();
    expect(second.cid).to.equal(first.cid);
    const upper = `sha256:${second.cid.slice(7).toUpperCase()}`;
    for (const name of [second.cid, encodeURIComponent(second.cid), upper]) {
      expect((await get(`/v1/facts/${name}`)).body.id, name).to.equal(second.id);
    }
    expect((await get(`/v1/facts/sha256:${'0'.repeat(64)}`)).status).to.equal(404);
  });

  it('refuses a malformed content id, but accepts an id of any form', async () => {
    for (const cid of ['sha256:', 'sha256:12', `sha256:${'g'.repeat(64)}`, `sha256:${'0'.repeat(65)}`]) {
      const reply = await get(`/v1/facts/${cid}`);
      expect([reply.status, reply.body.code], cid).to.deep.equal([400, 'cid_malformed']);
    }
    for (const id of ['1', 'x'.repeat(500), '%7B5f0c%7D', '..', '%2E%2E%2Fetc', 'A%2FB', "'%20OR%201=1", '%25']) {
      const reply = await get(`/v1/facts/${id}`);
      expect([reply.status, reply.body.code], id).to.deep.equal([404, 'lookup']);
    }
    for (const id of ['%00', 'a%00b', '%E0%A4%A']) expect((await get(`/v1/facts/${id}`)).status, id).to.equal(400);
  });

  it('returns the same 404 for a hidden fact as for an unknown one', async () => {
    const { id, cid } = await assert({ scope: 'company' });
    const narrow = await node.addKey({ permissions: ['read', 'admin'], scopes: ['public'] });
    const unknown = await get('/v1/facts/00000000-0000-4000-8000-000000000000', narrow);
    for (const path of [`/v1/facts/${id}`, `/v1/facts/${cid}`]) {
      const hidden = await get(path, narrow);
      expect(hidden.status).to.equal(404);
      expect({ ...hidden.body, instance: '', request_id: '' }).to.deep.equal({
        ...unknown.body,
        instance: '',
        request_id: '',
      });
    }
  });

  it('replies 409 for a row that no longer matches its content id, which lists leave out', async () => {
    const intact = await storeDamaged('damaged-1');
    const { status, body } = await get('/v1/facts/damaged-1');
    expect([status, body.code]).to.deep.equal([409, 'cid_mismatch']);
    const list = await get('/v1/facts?entity=user:damaged');
    expect(list.body.facts.map(({ id }: { id: string }) => id)).to.deep.equal([intact]);
  });

  it('writes one audit entry for such a damaged row, however often it is listed', async () => {
    await storeDamaged('damaged-1');
    for (let at = 0; at < 3; at += 1) await get('/v1/facts?entity=user:damaged');
    const auditor = await node.addKey({ permissions: ['audit.read'] });
    const { body } = await get('/v1/audit?event_type=federation_integrity_rejected', auditor);
    const rows = body.entries.filter((entry: { event_type: string }) => entry.event_type !== 'fact_write');
    expect(rows).to.have.lengthOf(1);
    expect(rows[0].fact_id).to.equal('damaged-1');
  });

  describe('verify-cid', () => {
    const verify = (id: string, body?: unknown, as = key) =>
      node.request('POST', `/v1/facts/${id}/verify-cid`, { key: as, ...(body === undefined ? {} : { body }) });

    it('confirms a fact, with and without a body', async () => {
      const { id, cid } = await assert();
      const confirmed = { cid_valid: true, match: true, computed_cid: cid, stored_cid: cid, mismatch_reason: null };
      for (const body of [undefined, {}, { cid }, { cid: null }]) {
        const reply = await verify(id, body);
        expect(reply.status).to.equal(200);
        expect(reply.body).to.deep.equal(confirmed);
      }
    });

    it('replies 200 if a given content id differs, and says so', async () => {
      const { id, cid } = await assert();
      const reply = await verify(id, { cid: `sha256:${'0'.repeat(64)}` });
      expect(reply.status).to.equal(200);
      expect(reply.body).to.include({ cid_valid: true, match: false, computed_cid: cid, stored_cid: cid });
      expect(reply.body.mismatch_reason).to.equal('given_cid_mismatch');
    });

    it('replies 200 if the stored row was changed, and says so', async () => {
      await storeDamaged('damaged-1');
      const { status, body } = await verify('damaged-1');
      expect(status).to.equal(200);
      expect(body).to.include({ cid_valid: false, match: false, mismatch_reason: 'stored_cid_mismatch' });
      expect(body.computed_cid).to.not.equal(body.stored_cid);
    });

    it('replies 404 for an unknown or hidden fact, and 422 for a malformed body', async () => {
      const { id } = await assert({ scope: 'company' });
      const narrow = await node.addKey({ permissions: ['read'], scopes: ['public'] });
      expect((await verify(id, undefined, narrow)).status).to.equal(404);
      expect((await verify('unknown')).status).to.equal(404);
      expect((await verify(id, { cid: 5 })).status).to.equal(422);
      expect((await verify(id, [])).status).to.equal(422);
    });
  });

  it('confirms to an admin that every fact matches its content id', async () => {
    const admin = await node.addKey({ permissions: ['admin'] });
    const path = '/v1/admin/cid-backfill/status';
    const empty = { total_facts: 0, backfilled_facts: 0, pending_facts: 0, backfill_complete: true };
    expect((await get(path, admin)).body).to.deep.equal(empty);
    await assert();
    expect((await get(path, admin)).body).to.deep.equal({ ...empty, total_facts: 1, backfilled_facts: 1 });
    expect((await get(path)).status).to.equal(403);
  });
});
