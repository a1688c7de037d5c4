import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { AGENT, assertion, type ClientNode, type Reply, startClientNode } from './client-node.ts';

/** The members of every fact object, of which some may be null. */
const ALWAYS = ['id', 'entity', 'relation', 'value', 'source', 'timestamp', 'confidence', 'scope', 'contradicted'];
const MAY_BE_NULL = ['hlc', 'valid_until', 'received_from', 'cid'];

const FIVE_WEIGHTS = { lexical: 0.3, vector: 0.3, graph: 0.2, source_trust: 0.1, recency: 0.1 };

const expectFact = (fact: Reply['body']): void => {
  for (const name of ALWAYS) expect(fact, name).to.have.property(name).that.is.not.equal(null);
  expect(fact).to.include.keys(MAY_BE_NULL);
  expect(fact.contradicted).to.be.a('boolean');
};

for (const name of ['svc', 'acme']) {
  const title = name.replace(/^./, (first) => first.toUpperCase());

  forEachStore(`An existing client of the service "${name}"`, () => {
    let node: ClientNode;
    let entities = 0;
    const freshEntity = (): string => {
      entities += 1;
      return `user:noor-${entities}`;
    };

    before(async function () {
      this.timeout(60_000);
      node = await startClientNode(name);
    });
    after(() => node?.stop());

    const get = async (target: string, headers = {}): Promise<Reply['body']> => {
      const { status, body } = await node.send('GET', target, undefined, headers);
      expect(status, JSON.stringify(body)).to.equal(200);
      return body;
    };

    /** Creates a contradiction, and returns it as the list shows it. */
    const contradict = async (): Promise<Reply['body']> => {
      const entity = freshEntity();
      await node.assert({ entity, value: { type: 'string', v: 'archivist' } });
      await node.assert({ entity, value: { type: 'string', v: 'librarian' } });
      const { conflicts } = await get('/v1/conflicts');
      return conflicts.find((one: Reply['body']) => one.fact_a.entity === entity);
    };

    describe('1: an assertion', () => {
      it('returns 201, and so does its duplicate, with the existing fact', async () => {
        const entity = freshEntity();
        const first = await node.send('POST', '/v1/facts', assertion({ entity }));
        const again = await node.send('POST', '/v1/facts', assertion({ entity }));
        expect([first.status, again.status]).to.deep.equal([201, 201]);
        expect(again.body.id).to.equal(first.body.id);
      });

      it('returns 201 when it contradicts, retracts or expires at once', async () => {
        const entity = freshEntity();
        await node.assert({ entity });
        await node.assert({ entity, value: { type: 'string', v: 'librarian' } });
        await node.assert({ entity, value: { type: 'string', v: 'retracted' }, confidence: 0.0 });
        await node.assert({ entity, valid_until: '2001-01-01T00:00:00Z' });
      });
    });

    describe('2: a list', () => {
      it('of facts has facts, total and cursor, and total is a whole number even for no facts', async () => {
        const entity = freshEntity();
        await node.assert({ entity });
        const found = await get(`/v1/facts?entity=${entity}`);
        expect(found).to.include({ total: 1, cursor: null });
        expect(found.facts).to.have.length(1);
        const none = await get('/v1/facts?entity=user:nobody');
        expect(none).to.deep.include({ facts: [], total: 0, cursor: null });
      });

      it('of conflicts has conflicts, cursor and has_more, with both facts', async () => {
        const { fact_a: a, fact_b: b } = await contradict();
        expect([a.value.v, b.value.v]).to.deep.equal(['librarian', 'archivist']);
        const page = await get('/v1/conflicts?limit=1');
        expect(page).to.include.keys(['conflicts', 'cursor', 'has_more']);
        expect(page.has_more).to.be.a('boolean');
      });
    });

    it('3: every fact object has all its members, and states whether it is contradicted', async () => {
      const entity = freshEntity();
      const stored = await node.assert({ entity });
      expectFact(stored);
      expectFact(await get(`/v1/facts/${stored.id}`));
      expectFact((await get(`/v1/facts?entity=${entity}`)).facts[0]);
      const { fact_a: a, fact_b: b } = await contradict();
      for (const fact of [a, b]) expectFact(fact);
      expect([a.contradicted, b.contradicted]).to.deep.equal([true, true]);
      const { body } = await node.send('POST', '/v1/recall', { query: 'archivist', token_budget: 4000 });
      expect(body.facts).to.not.equal([]);
      for (const { fact } of body.facts) expectFact(fact);
    });

    it('4: resolving a conflict returns 200 and the status resolved', async () => {
      const { conflict_id: id, fact_a: winner } = await contradict();
      const request = { winning_fact_id: winner.id, resolution_note: 'She said so herself.' };
      const { status, body } = await node.send('POST', `/v1/conflicts/${encodeURIComponent(id)}/resolve`, request);
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.conflict_status).to.equal('resolved');
    });

    describe('5: a bare array is returned', () => {
      it('for gardens and for their members', async () => {
        const slug = `team-${freshEntity().slice(5)}`;
        expect((await node.send('POST', '/v1/gardens', { slug, name: 'Team', scope: 'company' })).status).to.equal(201);
        expect(await get('/v1/gardens'))
          .to.be.an('array')
          .that.is.not.equal([]);
        const members = await get(`/v1/gardens/${slug}/members`);
        expect(members).to.be.an('array').with.length(1);
        expect(members[0]).to.include({ entity_uri: AGENT, role: 'admin' });
      });

      it('for keys and for agent keys', async () => {
        const public_key = Buffer.alloc(32, 7).toString('base64url');
        await node.send('POST', '/v1/auth/agent-keys', { public_key, description: null });
        expect(await get('/v1/auth/keys'))
          .to.be.an('array')
          .with.length(1);
        expect(await get('/v1/auth/agent-keys'))
          .to.be.an('array')
          .with.length(1);
      });
    });

    describe('6: is accepted with', () => {
      it('write_mode and derived_from in every form that clients send', async () => {
        const { id, cid } = await node.assert({ entity: freshEntity() });
        const summary = { entity: freshEntity(), write_mode: 'summarize_with_provenance' };
        const forms = [[{ fact_id: id }], [{ hash: cid }], [{ fact_id: id, hash: cid }], [cid], [cid.slice(7)]];
        for (const [at, derived_from] of forms.entries()) {
          const fact = await node.assert({ ...summary, relation: `memory:summary-${at}`, derived_from });
          expect(fact.derived_from).to.deep.equal([cid]);
        }
      });

      it('a retraction of the value "retracted" and the confidence 0.0', async () => {
        const entity = freshEntity();
        await node.assert({ entity });
        const retraction = await node.assert({ entity, value: { type: 'string', v: 'retracted' }, confidence: 0.0 });
        const listed = (await get(`/v1/facts?entity=${entity}`)).facts.map(({ id }: Reply['body']) => id);
        expect(listed).to.deep.equal([retraction.id]);
      });

      it('a recall of five weights, depth 2 and limit 100', async () => {
        const entity = freshEntity();
        await node.assert({ entity });
        const request = {
          query: 'archivist',
          token_budget: 4000,
          scope: 'company',
          depth: 2,
          limit: 100,
          min_confidence: 0.1,
          include_neighbors: true,
          weights: FIVE_WEIGHTS,
        };
        const posted = await node.send('POST', '/v1/recall', request);
        expect(posted.status, JSON.stringify(posted.body)).to.equal(200);
        const asked = { ...request, weights: JSON.stringify(FIVE_WEIGHTS) };
        const pairs = Object.entries(asked).map(([key, value]): [string, string] => [key, `${value}`]);
        const query = new URLSearchParams(pairs);
        expect(await get(`/v1/recall?${query}`)).to.include({ total_scored: posted.body.total_scored });
      });

      it('the headers of sessions and proofs, and a content type without a body', async () => {
        const entity = freshEntity();
        const session = { [`${title}-Session`]: 'conversation 7/1' };
        await node.assert({ entity }, session);
        const headers = { ...session, [`${title}-Verify`]: 'full', 'Content-Type': 'application/json' };
        expect(await get(`/v1/facts?entity=${entity}&session=conversation%207%2F1`, headers)).to.include({ total: 1 });
        for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
          await get(`/v1/facts?entity=${entity}`, { 'Content-Type': type });
        }
        const request = { query: 'archivist', token_budget: 4000 };
        const { status, body } = await node.send('POST', '/v1/recall', request, headers);
        expect(status, JSON.stringify(body)).to.equal(200);
        expect(body.chain_proof).to.be.an('object');
      });

      it('session_id beside the header of the same session, and refused beside another', async () => {
        const headers = { [`${title}-Session`]: 's-1' };
        await node.assert({ entity: freshEntity(), session_id: 's-1' }, headers);
        await node.assert({ entity: freshEntity(), session_id: null }, headers);
        const other = assertion({ entity: freshEntity(), session_id: 's-2' });
        expect((await node.send('POST', '/v1/facts', other, headers)).status).to.equal(422);
        expect((await node.send('POST', '/v1/facts', other)).status).to.equal(422);
      });

      it('members that the node assigns itself, without effect', async () => {
        const sent = {
          id: '00000000-0000-4000-8000-000000000001',
          hlc: '1.0',
          cid: `sha256:${'0'.repeat(64)}`,
          attested: true,
          received_from: `${name}:node:elsewhere`,
          tenant_id: 'another',
        };
        const fact = await node.assert({ entity: freshEntity(), ...sent });
        for (const [member, value] of Object.entries(sent)) expect(fact[member], member).to.not.equal(value);
        expect(fact).to.include({ received_from: null });
        await get(`/v1/facts/${fact.id}`);
      });

      it('every optional member as null', async () => {
        const optional = { valid_until: null, timestamp: null, garden_id: null, attestation: null, session_id: null };
        await node.assert({ entity: freshEntity(), ...optional, confidence: null, write_mode: null });
      });
    });

    describe('6: a page with all parameters at their defaults', () => {
      const PAGES: readonly (readonly [path: string, defaults: string])[] = [
        [
          '/v1/facts?entity=user:noor-1',
          'min_confidence=0.0&include_contradicted=false&include_expired=False&include_retracted=0&limit=50',
        ],
        ['/v1/conflicts?status=unresolved', 'limit=50'],
        ['/v1/audit?event_type=none', 'limit=50'],
        ['/v1/auth/audit?event_type=none', 'limit=200'],
        ['/v1/admin/audit?event_type=none', 'limit=200'],
        ['/v1/admin/billing/events?event_type=garden_created', 'limit=200'],
        ['/v1/quarantine?quarantine_status=pending', 'limit=100&offset=0'],
        ['/v1/graph/neighbors?entity=user:noor-1', 'depth=1&min_confidence=0.1&limit=50'],
        ['/v1/graph/neighbors?entity=user:noor-1', 'depth=1&page_size=50'],
        ['/v1/cards/user:noor-1?scope=company', 'refresh=false&force_refresh=false'],
        ['/v1/synthesis?entity=user:noor-1', 'include_expired=false&limit=200'],
        ['/v1/lint?entity=user:noor-1', 'scope=all&stale_lookahead_s=0'],
        ['/v1/auth/keys/expiring-soon?', 'within_days=30'],
      ];

      /** Members that change with time. */
      const CHANGING = new Set(['synthesized_at', 'checked_at', 'age_seconds']);
      const steady = (body: Reply['body']): unknown =>
        JSON.parse(JSON.stringify(body, (name, value) => (CHANGING.has(name) ? undefined : value)));

      for (const [path, defaults] of PAGES) {
        it(`is accepted by ${path.replace(/[?].*/, '')} (${defaults}), and changes nothing`, async () => {
          await node.assert({ entity: 'user:noor-1' });
          expect(steady(await get(`${path}&${defaults}`))).to.deep.equal(steady(await get(path)));
        });
      }
    });

    it('7: recall fills content with the facts, beside facts', async () => {
      const entity = freshEntity();
      await node.assert({ entity, value: { type: 'string', v: `keeper of ${entity}` } });
      const { body } = await node.send('POST', '/v1/recall', { query: `keeper of ${entity}`, token_budget: 4000 });
      expect(body.content).to.be.an('array').that.is.not.equal([]);
      const idsOf = (list: Reply['body'][]): string[] => list.map(({ fact }) => fact.id);
      expect(idsOf(body.content)).to.deep.equal(idsOf(body.facts));
      for (const { fact } of body.content) expectFact(fact);
    });

    describe('8:', () => {
      it('lint accepts POST and GET, with the same findings', async () => {
        await contradict();
        const { status, body } = await node.send('POST', '/v1/lint', { scope: 'company', checks: ['contradiction'] });
        expect(status, JSON.stringify(body)).to.equal(200);
        expect(body.findings).to.not.deep.equal([]);
        expect((await get('/v1/lint?scope=company&checks=contradiction')).findings).to.deep.equal(body.findings);
      });

      for (const form of ['raw', 'encoded'] as const) {
        it(`the id of a conflict is accepted as returned, ${form}`, async () => {
          const { conflict_id: id, fact_b: winner } = await contradict();
          expect(id).to.match(new RegExp(`^${name}:conflict:`));
          const path = `/v1/conflicts/${form === 'raw' ? id : encodeURIComponent(id)}/resolve`;
          const { status, body } = await node.send('POST', path, { winning_fact_id: winner.id });
          expect(status, JSON.stringify(body)).to.equal(200);
        });
      }

      it('the bare id of a conflict is accepted as well', async () => {
        const { conflict_id: id, fact_b: winner } = await contradict();
        const path = `/v1/conflicts/${id.split(':').at(-1)}/resolve`;
        expect((await node.send('POST', path, { winning_fact_id: winner.id })).status).to.equal(200);
      });
    });

    it('finds the metadata under the name of the service', async () => {
      const { body } = await node.send('GET', `/.well-known/${name}`);
      expect(body.namespaces[0]).to.equal(`${name}:`);
    });
  });
}
