import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestReply } from '../../kit/test-request.ts';
import { AGENT, type InstructionsNode, startInstructionsNode, unit } from './instructions-node.ts';

const MANIFEST_URI = `instruction:default/agent/${AGENT}/manifest`;
const MAY_CLAIM = ['read', 'write', 'instruction:write'] as const;
const codeOf = ({ status, body }: TestReply) => [status, body.code ?? null];

forEachStore('publishing an instruction manifest', () => {
  let made: InstructionsNode;
  beforeEach(async () => {
    made = await startInstructionsNode();
  });
  afterEach(() => made.node.stop());

  const storedVersions = async (version: string) => {
    const target = `/v1/facts?entity=${encodeURIComponent(`${MANIFEST_URI}/${version}`)}&relation=instruction:manifest`;
    const { body } = await made.node.request('GET', target, { key: made.key });
    return body.facts as TestReply['body'][];
  };

  it('returns the fact, the token count, and the coverage of each unit', async () => {
    await made.say('deploy', 'push the button');
    const body = await made.published('v1', [unit('deploy'), unit('rollback')]);
    expect(body.fact_uri).to.equal(`${MANIFEST_URI}/v1`);
    expect(body.token_count).to.be.within(1, 1_000);
    expect(body.coverage_report).to.deep.equal([
      { unit: 'deploy', coverage_pct: 1, passed: true },
      { unit: 'rollback', coverage_pct: 0, passed: false },
    ]);
    const { status, body: shown } = await made.manifest();
    expect(status).to.equal(200);
    expect(shown).to.deep.equal({
      manifest_version: 'v1',
      fact_uri: body.fact_uri,
      token_count: body.token_count,
      entries: [unit('deploy', { guarantee_load: false }), unit('rollback', { guarantee_load: false })],
      last_updated_at: '2026-03-02T09:00:00.000Z',
    });
  });

  it('accepts entries with missing or null optional members, and counts the tokens of a unit', async () => {
    const text = 'push the button, and wait until the lamp is green';
    await made.say('deploy', text);
    const { name, description, fact_uri } = unit('deploy');
    const silent = { ...unit('rollback'), path: null, cid: null, required_by_task_types: null, force_position: null };
    const absent = {
      token_estimate: null,
      guarantee_load: null,
      guaranteed_load: null,
      load_triggers: { intents: null },
    };
    await made.published('v1', [
      { name, description, fact_uri },
      { ...silent, ...absent },
    ]);
    const { body } = await made.manifest();
    const nothing = { load_triggers: { intents: [], keywords: [], task_types: [] }, guarantee_load: false };
    expect(body.entries).to.deep.equal([
      { name, description, fact_uri, ...nothing, token_estimate: Math.ceil(text.length / 4) },
      { ...unit('rollback'), ...nothing, token_estimate: 0 },
    ]);
    await made.say('deploy', 'no');
    await made.published('v1', [
      { name, description, fact_uri },
      { ...unit('rollback'), ...absent },
    ]);
    expect((await made.manifest()).body.entries[0].token_estimate).to.equal(1);
  });

  it('reports all errors of its entries at once', async () => {
    const wrong = [
      { ...unit('deploy'), fact_uri: 'deploy', tokens: 5 },
      { ...unit('rollback'), description: 7, load_triggers: { intnts: [] } },
    ];
    const { status, body } = await made.publish('v1', wrong);
    expect([status, body.code]).to.deep.equal([422, 'manifest_entry_invalid']);
    expect(body.errors).to.deep.equal([
      { path: 'body.entries[0].tokens', message: 'is not a known member' },
      { path: 'body.entries[1].load_triggers.intnts', message: 'is not a known member; did you mean intents?' },
      {
        path: 'body.entries[0].fact_uri',
        message: 'must have the form instruction:<deployment>/agent/<agent_id>/<name>/<version>',
      },
      { path: 'body.entries[1].description', message: 'must be a string' },
    ]);
  });

  it('never overwrites a version: the same content is accepted again, other content is a conflict', async () => {
    await made.published('v1', [unit('deploy')]);
    const [first] = await storedVersions('v1');
    const again = { ...unit('deploy'), guaranteed_load: false, path: null, force_position: null };
    expect((await made.published('v1', [again])).fact_uri).to.equal(`${MANIFEST_URI}/v1`);
    expect(codeOf(await made.publish('v1', [unit('other')]))).to.deep.equal([409, 'manifest_version_conflict']);
    expect(codeOf(await made.publish('V1', [unit('other')]))).to.deep.equal([409, 'manifest_version_conflict']);
    await made.published('v2', [unit('other')]);
    expect((await made.manifest()).body.manifest_version).to.equal('v2');
    expect(await storedVersions('v1')).to.deep.equal([first]);
    // Publishing an old version again does not make it current.
    await made.published('v1', [unit('deploy')]);
    expect((await made.manifest()).body.manifest_version).to.equal('v2');
    expect(await storedVersions('v1')).to.have.length(1);
    expect((await made.audited('manifest_publish')).map(({ detail }) => detail.version)).to.deep.equal(['v1', 'v2']);
  });

  it('stores a system fact in scope local, which clients cannot write and default queries leave out', async () => {
    await made.published('v1', [unit('deploy')]);
    const [fact] = await storedVersions('v1');
    expect([fact?.source, fact?.scope, fact?.value.type]).to.deep.equal(['system:svc', 'local', 'text']);
    const body = {
      entity: `${MANIFEST_URI}/v9`,
      relation: 'instruction:Manifest',
      value: { type: 'text', v: '{}' },
      source: 'agent:x',
    };
    const reply = await made.node.request('POST', '/v1/facts', { key: made.key, body });
    expect(codeOf(reply)).to.deep.equal([403, 'reserved_namespace']);
    const { body: page } = await made.node.request('GET', '/v1/facts', { key: made.key });
    expect([page.facts, page.total]).to.deep.equal([[], 0]);
    const [entry] = await made.audited('manifest_publish');
    expect([entry?.entity_uri, entry?.fact_id, entry?.detail]).to.deep.equal([
      'agent:test',
      fact?.id,
      { agent_id: AGENT, version: 'v1', units: 1 },
    ]);
  });

  it('is allowed only to the first publisher of the agent and to administrators', async () => {
    await made.published('v1', [unit('deploy')]);
    const stranger = await made.node.addKey({ entityUri: 'agent:stranger' });
    const admin = await made.node.addKey({ entityUri: 'agent:admin', permissions: ['write', 'admin'] });
    for (const agent of [AGENT, AGENT.toUpperCase()]) {
      for (const version of ['v1', 'v2']) {
        const reply = await made.publish(version, [unit('deploy')], {}, { agent, key: stranger });
        expect(codeOf(reply)).to.deep.equal([403, 'authorization']);
      }
    }
    await made.published('v2', [unit('deploy')], {}, { key: admin });
    // A publication by an administrator does not change the owner.
    await made.published('v3', [unit('deploy')]);
    expect(codeOf(await made.publish('v4', [unit('deploy')], {}, { key: stranger }))).to.deep.equal([
      403,
      'authorization',
    ]);
  });

  it('succeeds for one of several first publishers, and for all equal publications', async () => {
    const keys = await Promise.all(
      [1, 2, 3, 4].map((n) => made.node.addKey({ entityUri: `agent:p${n}`, permissions: MAY_CLAIM })),
    );
    const replies = await Promise.all(keys.map((key) => made.publish('v1', [unit('deploy')], {}, { key })));
    expect(replies.map(({ status }) => status).sort()).to.deep.equal([200, 403, 403, 403]);
    const twice = await Promise.all(
      [1, 2, 3].map(() => made.publish('v1', [unit('deploy', {}, 'a2')], {}, { agent: 'a2' })),
    );
    expect(twice.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    const rivals = ['x', 'y'].map((name) => made.publish('v2', [unit(name, {}, 'a2')], {}, { agent: 'a2' }));
    expect((await Promise.all(rivals)).map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    expect(await made.audited('manifest_publish')).to.have.length(3);
  });

  it('requires a visible live fact for every unit, unless the coverage gate is skipped', async () => {
    const gate = { skip_coverage_gate: false };
    await made.say('here', 'text');
    await made.say('gone', 'text');
    await made.say('gone', 'text', { confidence: 0 });
    await made.say('past', 'text', { valid_until: '2026-01-01T00:00:00Z' });
    await made.published('v1', [unit('here')], gate);
    for (const name of ['gone', 'past', 'never']) {
      const reply = await made.publish('v2', [unit('here'), unit(name)], gate);
      expect(codeOf(reply)).to.deep.equal([422, 'manifest_coverage_failure']);
      expect(reply.body.errors.map(({ path }: { path: string }) => path)).to.deep.equal(['body.entries[1].fact_uri']);
    }
    const poor = await made.node.addKey({ scopes: ['local'], permissions: MAY_CLAIM });
    await made.say('there', 'text', { scope: 'team' }, { agent: 'a2' });
    const entries = [unit('there', {}, 'a2')];
    expect(codeOf(await made.publish('v1', entries, gate, { agent: 'a2', key: poor }))).to.deep.equal([
      422,
      'manifest_coverage_failure',
    ]);
    await made.published('v1', entries, gate, { agent: 'a2' });
    // A published version is accepted again in any state of its facts.
    await made.say('here', 'text', { confidence: 0 });
    await made.published('v1', [unit('here')], gate);
  });

  it('accepts at most 5 guaranteed units, in either spelling of the member', async () => {
    const guaranteed = (n: number) => unit(`u${n}`, n % 2 === 0 ? { guarantee_load: true } : { guaranteed_load: true });
    await made.published('v1', [1, 2, 3, 4, 5].map(guaranteed));
    const reply = await made.publish('v2', [1, 2, 3, 4, 5, 6].map(guaranteed));
    expect(codeOf(reply)).to.deep.equal([422, 'guarantee_cap_exceeded']);
  });

  it('accepts at most 1,000 tokens, and texts up to their limits', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => unit(`unit-${n}`));
    expect((await made.published('v1', many(40))).token_count).to.be.within(500, 1_000);
    expect(codeOf(await made.publish('v2', many(200)))).to.deep.equal([422, 'manifest_too_large']);
    expect(codeOf(await made.publish('v2', many(1_000)))).to.deep.equal([422, 'manifest_too_large']);
    expect(codeOf(await made.publish('v2', many(10_000)))).to.deep.equal([413, 'too_large']);
    await made.published('v2', [unit('a', { description: '😀'.repeat(120) })]);
    await made.published('v3', []);
    const huge = unit('a', { load_triggers: { keywords: Array.from({ length: 60 }, () => 'k'.repeat(1_000)) } });
    expect(codeOf(await made.publish('v4', [huge]))).to.deep.equal([422, 'manifest_too_large']);
  });

  it('reports the entry and the member with an error, but never its content', async () => {
    const secret = 's3cret '.repeat(30);
    const reply = await made.publish('v1', [unit('a'), unit('b', { description: secret })]);
    expect(codeOf(reply)).to.deep.equal([422, 'manifest_entry_invalid']);
    expect(reply.body.errors[0].path).to.equal('body.entries[1].description');
    expect(reply.text).not.to.include('s3cret');
  });

  it('accepts only agents whose names are one segment of a path', async () => {
    for (const agent of ['..', '../../etc', 'a/b', 'a b', 'a\\b', '%2e%2e', 'a?b', 'a#b', 'x'.repeat(257)]) {
      const entry = unit('deploy', {}, agent);
      for (const reply of [
        await made.publish('v1', [entry], {}, { agent }),
        await made.manifest({ agent }),
        await made.recall({ intent: 'deploy' }, { agent }),
      ]) {
        expect(codeOf(reply), agent).to.deep.equal([400, 'validation']);
      }
    }
    for (const agent of ['agent:indexer-7', 'oidc:auth0|1', 'ägent', '__proto__', "';DROP--", '*']) {
      await made.published('v1', [unit('deploy', {}, agent)], {}, { agent });
      expect((await made.manifest({ agent })).body.fact_uri).to.equal(`instruction:default/agent/${agent}/manifest/v1`);
    }
  });

  it('requires the permission write and the scope of manifests', async () => {
    const reader = await made.node.addKey({ entityUri: 'agent:r', permissions: ['read', 'admin'] });
    const outsider = await made.node.addKey({ entityUri: 'agent:o', scopes: ['team', 'public'] });
    for (const key of [reader, outsider]) {
      expect(codeOf(await made.publish('v1', [unit('deploy')], {}, { key }))).to.deep.equal([403, 'authorization']);
    }
    await made.published('v1', [unit('deploy')]);
    expect(codeOf(await made.manifest({ key: outsider }))).to.deep.equal([404, 'manifest_not_found']);
    expect(codeOf(await made.manifest({ agent: 'nobody' }))).to.deep.equal([404, 'manifest_not_found']);
  });
});
