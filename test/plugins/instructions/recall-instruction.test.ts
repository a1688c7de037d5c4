import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestReply } from '../../kit/test-request.ts';
import { type InstructionsNode, startInstructionsNode, unit, uriOf } from './instructions-node.ts';

const DEPLOY = unit('deploy', {
  description: 'how to roll out a release',
  load_triggers: { intents: ['ship the service'], keywords: ['deploy', 'production'] },
});
const ROLLBACK = unit('rollback', { description: 'how to undo a release that went wrong' });
const SAFETY = unit('safety', { description: 'what is never allowed', guarantee_load: true });

interface Chunk {
  readonly name: string;
  readonly score: number;
  readonly tokens: number;
}
const namesOf = ({ chunks }: { chunks: readonly Chunk[] }) => chunks.map(({ name }) => name);
const codeOf = ({ status, body }: TestReply) => [status, body.code];

forEachStore('recalling instructions', () => {
  let made: InstructionsNode;
  before(async () => {
    made = await startInstructionsNode();
    await made.say('deploy', 'Push the green button.', { valid_until: '2027-01-01T00:00:00+02:00' });
    await made.say('rollback', 'Push the red button.');
    await made.say('safety', 'Never push both.');
    await made.published('v1', [SAFETY, DEPLOY, ROLLBACK, unit('empty', { description: 'release release release' })]);
  });
  after(() => made.node.stop());

  it('returns units for the intent, best first, and the guaranteed units', async () => {
    const body = await made.recalled({ intent: 'Deploying a release to production' });
    const [first, second, third] = body.chunks;
    expect(namesOf(body)).to.deep.equal(['deploy', 'rollback', 'safety']);
    expect(first).to.deep.equal({
      name: 'deploy',
      fact_uri: uriOf('deploy'),
      content: 'Push the green button.',
      tokens: 6,
      valid_until: '2027-01-01T00:00:00+02:00',
      version: 'v1',
      score: first.score,
      source: 'svc',
    });
    expect(first.score).to.be.within(second.score, 1);
    expect([second.valid_until, third.score]).to.deep.equal([null, 0]);
    expect(body.total_tokens).to.equal(first.tokens + second.tokens + third.tokens);
    expect([body.truncated, body.missed_hints]).to.deep.equal([false, []]);
    expect(body.audit_token).to.match(/^audi_[A-Za-z0-9_-]{22}$/);
  });

  it('loads only units that match the intent, are hinted or are guaranteed', async () => {
    expect(namesOf(await made.recalled({ intent: 'weather' }))).to.deep.equal(['safety']);
    const { chunks } = await made.recalled({ intent: 'weather', manifest_hint: ['rollback'] });
    expect(chunks.map(({ name, score }: Chunk) => [name, score])).to.deep.equal([
      ['rollback', 1],
      ['safety', 0],
    ]);
  });

  it('returns hinted units first, each once, and reports hints without a unit', async () => {
    const manifest_hint = ['rollback', 'nowhere', 'empty', 'rollback', 'deploy', 'nowhere', '__proto__'];
    const body = await made.recalled({ intent: 'deploy', manifest_hint });
    expect(namesOf(body)).to.deep.equal(['rollback', 'deploy', 'safety']);
    expect(body.missed_hints).to.deep.equal(['nowhere', 'empty', '__proto__']);
    const short = await made.recalled({ intent: 'deploy', manifest_hint: ['rollback', 'deploy'], max_chunks: 1 });
    expect(namesOf(short)).to.deep.equal(['rollback', 'safety']);
    expect([short.missed_hints, short.truncated]).to.deep.equal([['deploy'], false]);
  });

  it('reports a truncated result, but loads guaranteed units despite the budget', async () => {
    const tight = await made.recalled({ intent: 'deploy a release', manifest_hint: ['deploy'], token_budget: 5 });
    expect(namesOf(tight)).to.deep.equal(['rollback', 'safety']);
    expect([tight.missed_hints, tight.truncated, tight.total_tokens]).to.deep.equal([['deploy'], true, 9]);
    const least = await made.recalled({ intent: 'nothing', token_budget: 1 });
    expect([namesOf(least), least.truncated]).to.deep.equal([['safety'], true]);
  });

  it('rejects numbers outside their ranges, and an intent that is missing, empty or too long', async () => {
    for (const wrong of [
      { max_chunks: 0 },
      { max_chunks: 21 },
      { max_chunks: '3' },
      { max_chunks: 1.5 },
      { token_budget: 0 },
      { token_budget: 100_001 },
      { manifest_hint: 'deploy' },
      { intent: undefined },
      { intent: ' \n' },
      { intent: 'i'.repeat(16 * 1024 + 1) },
    ]) {
      expect(codeOf(await made.recall({ intent: 'deploy', ...wrong }))).to.deep.equal([422, 'validation']);
    }
    for (const right of [{ max_chunks: 20 }, { max_chunks: 1 }, { token_budget: 100_000 }, { token_budget: 1 }]) {
      await made.recalled({ intent: 'deploy', ...right });
    }
  });

  it('accepts an intent as plain text, even with operators of a search engine', async () => {
    for (const intent of [
      'deploy*',
      '"deploy" AND (',
      'NEAR(deploy) ^ -x:',
      '((((((x+)+)+$',
      "'; DROP TABLE facts; --",
    ]) {
      const body = await made.recalled({ intent });
      expect(namesOf(body).includes('deploy'), intent).to.equal(intent.includes('deploy'));
    }
    expect(namesOf(await made.recalled({ intent: '\u202e😀%_\\' }))).to.deep.equal(['safety']);
  });

  it('requires the permission read, and a published manifest', async () => {
    const writer = await made.node.addKey({ entityUri: 'agent:w', permissions: ['write', 'admin'] });
    expect(codeOf(await made.recall({ intent: 'x' }, { key: writer }))).to.deep.equal([
      403,
      'instruction_scope_denied',
    ]);
    // The permission is checked before the body.
    expect(codeOf(await made.recall({}, { key: writer }))).to.deep.equal([403, 'instruction_scope_denied']);
    expect(codeOf(await made.recall({ intent: 'x' }, { agent: 'nobody' }))).to.deep.equal([404, 'manifest_not_found']);
  });

  it('returns the newest live fact of a unit as text, with the current manifest', async () => {
    const asked = { agent: 'a2' };
    const contentOf = async () => (await made.recalled({ intent: 'note' }, asked)).chunks[0]?.content;
    await made.published('v1', [unit('note', {}, 'a2')], {}, asked);
    expect(await contentOf()).to.equal(undefined);
    await made.say('note', 'first', {}, asked);
    await made.say('note', 'second', { relation: 'instruction:other' }, asked);
    expect(await contentOf()).to.equal('second');
    await made.say('note', 'second', { relation: 'instruction:other', confidence: 0 }, asked);
    expect(await contentOf()).to.equal('first');
    const passing = new Date(made.node.clock.nowMs() + 1_000).toISOString();
    await made.say('note', 'for now', { valid_until: passing }, asked);
    expect(await contentOf()).to.equal('for now');
    await made.node.clock.advance(1_001);
    expect(await contentOf()).to.equal('first');
    await made.say('note', '', { relation: 'instruction:number', value: { type: 'number', v: 0.5 } }, asked);
    expect(await contentOf()).to.equal('0.5');
    await made.say('note', '', { relation: 'instruction:null', value: { type: 'null', v: null } }, asked);
    expect(await contentOf()).to.equal(undefined);
    await made.say('other', 'of the second version', {}, asked);
    await made.published('v2', [unit('other', { description: 'note' }, 'a2')], {}, asked);
    expect(await contentOf()).to.equal('of the second version');
  });

  it('returns guaranteed units first if they set force_position to prepend', async () => {
    const asked = { agent: 'a3' };
    for (const name of ['last', 'first', 'asked']) await made.say(name, name, {}, asked);
    const guaranteed = { guaranteed_load: true, description: '', required_by_task_types: ['ops'] };
    await made.published(
      'v1',
      [
        unit('last', guaranteed, 'a3'),
        unit('asked', {}, 'a3'),
        unit('first', { ...guaranteed, force_position: 'prepend' }, 'a3'),
      ],
      {},
      asked,
    );
    expect(namesOf(await made.recalled({ intent: 'asked', max_chunks: 1 }, asked))).to.deep.equal([
      'first',
      'asked',
      'last',
    ]);
  });
});

describe('instructions of a node with another service name', () => {
  it('use only the configured name', async () => {
    const made = await startInstructionsNode({ env: { SVC_SERVICE_NAME: 'acme' } });
    try {
      await made.say('deploy', 'text');
      await made.published('v1', [DEPLOY]);
      const { chunks } = await made.recalled({ intent: 'deploy' });
      expect(chunks[0].source).to.equal('acme');
      const target = `/v1/facts?entity=${encodeURIComponent(uriOf('manifest'))}&relation=instruction:manifest`;
      const { body } = await made.node.request('GET', target, { key: made.key });
      expect(body.facts.map(({ source }: { source: string }) => source)).to.deep.equal(['system:acme']);
    } finally {
      await made.node.stop();
    }
  });
});
