import { expect } from 'chai';
import { Instructions } from '../../../plugins/instructions/instructions-api.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { AGENT, INSTRUCTION_PLUGINS, unit, uriOf } from './instructions-node.ts';

const instructor = createPrincipal({
  entityUri: 'agent:instructor',
  permissions: new Set(['read', 'write', 'instruction:write']),
});
const writer = createPrincipal({ permissions: new Set(['write']) });
const reader = createPrincipal({ permissions: new Set(['read']) });

describe('the instructions service, called by plugins without HTTP', () => {
  let node: TestNode;
  let instructions: Instructions;
  beforeEach(async () => {
    node = await startTestNode({ plugins: [...INSTRUCTION_PLUGINS] });
    instructions = node.kernel.get(Instructions);
    const value = { type: 'text', v: 'push the button', interpretAs: 'content' } as const;
    const entity = uriOf('deploy');
    const draft = { entity, relation: 'instruction:content', value, source: 'agent:instructor', confidence: 1 };
    await node.facts.append({ ...draft, scope: 'local' }, instructor);
  });
  afterEach(() => node.stop());

  const publish = () => instructions.publish(instructor, AGENT, { version: 'v1', entries: [unit('deploy')] });

  it('publishes a manifest, accepts it a second time, and returns the current one', async () => {
    const published = await publish();
    expect(published.coverage).to.deep.equal(new Map([['deploy', true]]));
    expect(await publish()).to.deep.equal(published);
    const current = await instructions.current(reader, AGENT);
    expect(current).to.include({ version: 'v1', factUri: published.factUri, tokenCount: published.tokenCount });
    expect(current.units.map(({ name }) => name)).to.deep.equal(['deploy']);
  });

  it('validates a publication like the route', async () => {
    const entries = [unit('deploy', { path: '/etc/passwd' })];
    const error = await rejection(instructions.publish(instructor, AGENT, { version: 'v1', entries }));
    expect(error).to.include({ code: 'manifest_entry_invalid', status: 422 });
    const gap = instructions.publish(instructor, AGENT, { version: 'v1', entries: [unit('rollback')] });
    expect(await rejection(gap)).to.include({ code: 'manifest_coverage_failure', status: 422 });
  });

  it('loads units with their texts, and accepts a usage report only from the same caller', async () => {
    await publish();
    const loaded = await instructions.load(reader, AGENT, { intent: 'I want to deploy', hints: ['deploy', 'none'] });
    expect(loaded)
      .to.include({ truncated: false })
      .and.deep.include({ missedHints: ['none'] });
    expect(loaded.chunks.map(({ text, score }) => [text, score])).to.deep.equal([['push the button', 1]]);
    await instructions.report(reader, loaded.auditToken, { used: ['deploy'], missed: [] });
    const stranger = createPrincipal({ entityUri: 'agent:stranger' });
    const foreign = instructions.report(stranger, loaded.auditToken, { used: [], missed: [] });
    expect(await rejection(foreign)).to.include({ code: 'audit_token_invalid', status: 422 });
  });

  it('refuses callers without the permission', async () => {
    const draft = { version: 'v1', entries: [unit('deploy')] };
    expect(await rejection(instructions.publish(reader, AGENT, draft))).to.include({ code: 'authorization' });
    expect(await rejection(instructions.current(writer, AGENT))).to.include({ code: 'authorization' });
    const loading = instructions.load(writer, AGENT, { intent: 'deploy' });
    expect(await rejection(loading)).to.include({ code: 'instruction_scope_denied', status: 403 });
  });

  it('refuses an agent without a manifest, and requests outside the limits', async () => {
    expect(await rejection(instructions.current(reader, AGENT))).to.include({ code: 'manifest_not_found' });
    expect(await rejection(instructions.current(reader, 'a/b'))).to.include({ code: 'validation', status: 400 });
    await publish();
    for (const request of [{ intent: ' ' }, { intent: 'x', maxChunks: 21 }, { intent: 'x', tokenBudget: 0.5 }]) {
      const error = await rejection(instructions.load(reader, AGENT, request));
      expect(error, JSON.stringify(request)).to.include({ code: 'validation', status: 422 });
    }
  });
});
