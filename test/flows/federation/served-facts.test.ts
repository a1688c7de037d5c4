import { expect } from 'chai';
import { decodeBase64Url, verifyEd25519 } from '../../../kernel/internal-api.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { declareBoth, drain, federationEvents, pull, refusalOf } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { originStatement, wireCid } from '../../kit/federation/wire-fact.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const BOTH = { scopes: ['public', 'company'] };

/** The members of a served fact that this node created. */
const MEMBERS = [
  'id',
  'entity',
  'relation',
  'value',
  'source',
  'timestamp',
  'hlc',
  'confidence',
  'scope',
  'cid',
  'valid_from',
  'valid_until',
  'derived_from',
  'origin_proof',
];

forEachStore('The reply to a peer that pulls', () => {
  const world = createWorld();
  let node: FederatedNode;
  let peer: TestPeer;
  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world });
    peer = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
    await declareBoth(node, peer, BOTH, BOTH);
  });
  after(async () => {
    await node?.stop();
    await peer?.stop();
  });

  it('is an empty feed before any fact is asserted', async () => {
    const { body } = await pull(node, peer);
    expect(body).to.deep.include({ facts: [], has_more: false });
    expect(body.epoch).to.be.a('string');
  });

  it('is the fact as asserted, with its content id and its proof, and no local details', async () => {
    const said = await node.say({
      value: { type: 'text', v: 'zoë \u2028 😀' },
      confidence: 0.1,
      valid_from: '2026-01-01T00:00:00+02:00',
      valid_until: '2027-01-01T00:00:00+02:00',
    });
    const { facts } = await drain(node, peer);
    const served = facts.find(({ id }) => id === said.id);
    if (served === undefined) throw new Error('the fact was not served');
    expect(served).to.have.all.keys(MEMBERS);
    for (const name of MEMBERS.filter((member) => member !== 'origin_proof')) {
      expect(served[name as 'id'], name).to.deep.equal(said[name]);
    }
    expect(served.cid).to.equal(wireCid(served));
    const proof = served.origin_proof;
    if (proof === undefined) throw new Error('the fact has no proof');
    expect(proof.key_id).to.equal(node.identity.keyId);
    const [salt, refsSalt, signature] = [proof.salt, proof.refs_salt, proof.signature].map(
      (text) => decodeBase64Url(text) ?? new Uint8Array(),
    ) as [Uint8Array, Uint8Array, Uint8Array];
    expect([salt.length, refsSalt.length]).to.deep.equal([16, 16]);
    const statement = Buffer.from(originStatement(served, node.nodeId, salt, refsSalt));
    expect(verifyEd25519(node.identity.signer.publicKey, statement, signature)).to.equal(true);
    const again = (await drain(node, peer)).facts.find(({ id }) => id === said.id);
    expect(again).to.deep.equal(served);
  });

  it('has hashes of the facts that it was derived from, which its proof covers', async () => {
    const parent = await node.say();
    const child = await node.say({ derived_from: [parent['cid']] });
    const served = (await drain(node, peer)).facts.find(({ id }) => id === child.id);
    expect(served?.derived_from).to.deep.equal([parent['cid']]);
  });

  it('is returned page by page, without gaps or repetitions', async () => {
    const bodies = Array.from({ length: 300 }, (_, n) => ({
      entity: `user:${n}`,
      relation: 'memory:n',
      value: { type: 'number', v: n },
      source: 'agent:w',
      scope: n % 3 === 0 ? 'company' : 'public',
    }));
    expect((await node.request('POST', '/v1/facts/batch', { key: node.key, body: bodies })).body.accepted).to.equal(
      300,
    );
    const whole = await drain(node, peer, { limit: 500 });
    const parts = await drain(node, peer, { limit: 7 });
    expect(parts.facts.map(({ id }) => id)).to.deep.equal(whole.facts.map(({ id }) => id));
    expect(new Set(parts.facts.map(({ id }) => id)).size).to.equal(parts.facts.length);
    const rising = parts.cursors.map((cursor) => cursor.split('.').map(Number) as [number, number]);
    rising.reduce((before, after) => {
      expect(after[0] > before[0] || (after[0] === before[0] && after[1] > before[1])).to.equal(true);
      return after;
    });
    for (const scope of ['public', 'company']) {
      const ofScope = await drain(node, peer, { limit: 50, scope });
      expect(ofScope.facts).to.deep.equal(whole.facts.filter((fact) => fact.scope === scope));
    }
  });

  it('starts after a cursor of either name, and stays there while no new fact arrives', async () => {
    const { cursors } = await drain(node, peer);
    const head = cursors.at(-1) as string;
    const none = await pull(node, peer, `since_hlc=${head}`);
    expect(none.body).to.deep.include({ facts: [], cursor: head, has_more: false });
    const { id } = await node.say();
    for (const query of [`since_hlc=${head}`, `cursor=${head}`, `since_hlc=0.0&cursor=${head}`]) {
      const { body } = await pull(node, peer, query);
      expect(
        body.facts.map((fact: { id: string }) => fact.id),
        query,
      ).to.deep.equal([id]);
    }
    const beyond = await pull(node, peer, 'cursor=9999999999999.0');
    expect(beyond.body.facts).to.deep.equal([]);
    expect(beyond.body.cursor).to.equal((await drain(node, peer)).cursors.at(-1));
  });

  it('is refused for an invalid parameter', async () => {
    for (const limit of ['0', '-1', 'abc', '501', '1000000000', '1.5']) {
      expect((await pull(node, peer, `limit=${limit}`)).status, limit).to.equal(400);
    }
    for (const cursor of [
      '',
      '1',
      '1.2.3',
      '-1.0',
      '1e3.0',
      '%201.0',
      '%EF%BC%91.0',
      `${'9'.repeat(20)}.0`,
      '1.4294967296',
    ]) {
      for (const name of ['since_hlc', 'cursor']) {
        const reply = await pull(node, peer, `${name}=${cursor}`);
        expect(refusalOf(reply), `${name}=${cursor}`).to.include({ status: 400, code: 'invalid_cursor' });
      }
    }
    expect((await pull(node, peer, 'scope=everything')).status).to.equal(400);
    expect((await pull(node, peer, 'scope=public&scope=company')).status).to.equal(400);
    expect((await pull(node, peer, 'garden=x')).status).to.equal(400);
  });

  it('is refused outside the declarations of both sides, which is audited', async () => {
    const narrow = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs(), host: 'narrow.test' });
    const all = { scopes: ['local', 'team', 'public'] };
    await declareBoth(node, narrow, all, all);
    const refused = { status: 403, code: 'scope_not_permitted', detail: 'scope not permitted for this peer' };
    for (const scope of ['local', 'team', 'company']) {
      expect(refusalOf(await pull(node, narrow, `scope=${scope}`)), scope).to.deep.equal(refused);
    }
    expect((await federationEvents(node, 'scope_violation')).length).to.be.at.least(3);
    expect((await drain(node, narrow)).facts.every(({ scope }) => scope === 'public')).to.equal(true);
    await narrow.stop();
  });

  it('is refused as a whole when the peering does not allow the direction', async () => {
    const directions = [
      ['bidirectional', 'outbound', 403],
      ['inbound', 'bidirectional', 403],
      ['outbound', 'inbound', 200],
      ['bidirectional', 'inbound', 200],
    ] as const;
    for (const [at, [ours, theirs, status]] of directions.entries()) {
      const one = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs(), host: `one-${at}.test` });
      await declareBoth(node, one, { direction: ours }, { direction: theirs });
      expect((await pull(node, one)).status, `${ours} to ${theirs}`).to.equal(status);
      await one.stop();
    }
  });

  it('continues soon after thousands of facts that the peer may not have', async () => {
    const start = (await drain(node, peer)).cursors.at(-1) as string;
    for (let n = 0; n < 6; n += 1) {
      const body = Array.from({ length: 1_000 }, (_, at) => ({
        entity: `user:hidden-${n}-${at}`,
        relation: 'memory:n',
        value: { type: 'number', v: at },
        source: 'agent:w',
        scope: at % 2 === 0 ? 'local' : 'team',
      }));
      await node.request('POST', '/v1/facts/batch', { key: node.key, body });
    }
    const { id } = await node.say();
    let cursor = start;
    const seen: string[] = [];
    let requests = 0;
    for (let more = true; more; requests += 1) {
      const { body } = await pull(node, peer, `limit=10&cursor=${cursor}`);
      seen.push(...body.facts.map((fact: { id: string }) => fact.id));
      cursor = body.cursor;
      more = body.has_more;
    }
    expect(seen).to.deep.equal([id]);
    expect(requests).to.be.at.most(5);
  });
});
