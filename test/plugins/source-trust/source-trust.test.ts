import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const PLUGINS = ['keys', 'facts', 'source-trust'];
const RULES = { default: 0.4, sources: { 'agent:x': 0.9, 'svc://host/*': 0.7, 'svc://host/bot/*': 0.1 } };

describe('trust in sources', () => {
  const nodes: TestNode[] = [];
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
  });
  const start = (rules: string | null): Promise<TestNode> =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'rules.json');
      if (rules !== null) await writeFile(file, rules);
      const node = await startTestNode({ plugins: PLUGINS, env: { SVC_TRUST_RULES_FILE: file } });
      nodes.push(node);
      return node;
    });
  const assertFrom = async (node: TestNode, source: string, as = source) => {
    const body = { entity: 'user:a', relation: 'memory:n', value: { type: 'null' }, source, confidence: 0.8 };
    const reply = await node.request('POST', '/v1/facts', { key: await node.addKey({ entityUri: as }), body });
    expect(reply.status, reply.text).to.equal(201);
    return reply.body;
  };

  it('follows the longest matching rule; each fact shows it with its effective confidence', async () => {
    const node = await start(JSON.stringify(RULES));
    const trustOf = async (source: string) => (await assertFrom(node, source)).source_trust;
    expect(await trustOf('agent:x')).to.equal(0.9);
    expect(await trustOf('svc://HOST/user/a')).to.equal(0.7);
    expect(await trustOf('svc://host/bot/a')).to.equal(0.1);
    expect(await trustOf('agent:unknown')).to.equal(0.4);
    expect((await assertFrom(node, 'agent:x')).effective_confidence).to.be.closeTo(0.8 * 0.95, 1e-12);
  });

  it('may be told in a file with a byte order mark', async () => {
    const node = await start(`\uFEFF${JSON.stringify(RULES)}`);
    expect((await assertFrom(node, 'agent:x')).source_trust).to.equal(0.9);
  });

  it('is full trust in the source if its own key asserts the fact, in any spelling of the name', async () => {
    const node = await start(JSON.stringify(RULES));
    expect((await assertFrom(node, 'Agent:X', 'agent:x')).source_trust).to.equal(0.9);
  });

  it('refuses two rules for one source in two spellings', async () => {
    const error = await rejection(
      start(JSON.stringify({ sources: { 'agent:Ren\u00e9': 0.9, 'agent:rene\u0301': 0.1 } })),
    );
    expect(error.message).to.include('agent:Ren\u00e9').and.to.include('agent:rene\u0301');
  });

  it('is null on every fact if there are no rules', async () => {
    const node = await startTestNode({ plugins: PLUGINS });
    nodes.push(node);
    expect(await assertFrom(node, 'agent:x')).to.include({ source_trust: null, effective_confidence: null });
  });

  for (const [what, rules] of [
    ['is not there', null],
    ['is not JSON', '{'],
    ['gives trust beyond 1', '{"sources":{"agent:x":1.5}}'],
    ['holds a member that means nothing', '{"source":{}}'],
  ] as const) {
    it(`stops the start if the file ${what}`, async () => {
      expect(String(await rejection(start(rules)))).to.match(/source-trust|trust rules|rules/);
    });
  }
});
