import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type InstructionsNode, startInstructionsNode, unit } from './instructions-node.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

forEachStore('an audit token, with which an agent reports the use of instructions', () => {
  let made: InstructionsNode;
  let token: string;
  beforeEach(async () => {
    made = await startInstructionsNode();
    await made.say('deploy', 'text');
    await made.published('v1', [unit('deploy'), unit('rollback')]);
    token = (await made.recalled({ intent: 'deploy' })).audit_token;
  });
  afterEach(() => made.node.stop());

  const submit = async (auditToken: unknown, members: Readonly<Record<string, unknown>> = {}, key = made.key) => {
    const reply = await made.node.request('POST', '/v1/instruction/audit', {
      key,
      body: { audit_token: auditToken, ...members },
    });
    return [reply.status, reply.body?.code ?? reply.text];
  };

  it('leaves one audit entry, however often it is submitted', async () => {
    const report = { used_chunks: ['deploy'], missed_chunks: ['rollback'] };
    expect(await submit(token, report)).to.deep.equal([204, '']);
    expect(await submit(token, { used_chunks: [] })).to.deep.equal([204, '']);
    expect(await Promise.all([1, 2, 3].map(() => submit(token)))).to.deep.equal([1, 2, 3].map(() => [204, '']));
    const rows = await made.audited('instruction_audit');
    expect(rows).to.have.length(1);
    const [published] = await made.audited('manifest_publish');
    const { entity_uri, fact_id, detail } = rows[0];
    expect([entity_uri, fact_id]).to.deep.equal(['agent:test', published.fact_id]);
    expect(detail).to.deep.equal({
      version: 'v1',
      chunks: ['deploy'],
      used_chunks: ['deploy'],
      missed_chunks: ['rollback'],
    });
  });

  it('leaves one audit entry when it is submitted several times at once', async () => {
    expect(await Promise.all([1, 2, 3, 4].map(() => submit(token)))).to.deep.equal(Array(4).fill([204, '']));
    expect(await made.audited('instruction_audit')).to.have.length(1);
  });

  it('is rejected if it is forged or submitted by another caller', async () => {
    const other = await made.node.addKey({ entityUri: 'agent:other', permissions: ['read', 'write', 'admin'] });
    const invalid = [422, 'audit_token_invalid'];
    expect(await submit(token, {}, other)).to.deep.equal(invalid);
    const forged = [`audi_${'A'.repeat(22)}`, token.toUpperCase(), `${token} `, token.slice(0, -1), '', "' OR 1=1 --"];
    for (const text of forged) expect(await submit(text)).to.deep.equal(invalid);
    for (const wrong of [undefined, null, 5, [token]]) expect(await submit(wrong)).to.deep.equal([422, 'validation']);
    expect(await made.audited('instruction_audit')).to.deep.equal([]);
    // Another key of the same agent counts as the same caller, with any permissions.
    const second = await made.node.addKey({ permissions: ['federate'] });
    expect(await submit(token, {}, second)).to.deep.equal([204, '']);
  });

  it('is valid for a day', async () => {
    const { clock } = made.node;
    const late = (await made.recalled({ intent: 'deploy' })).audit_token;
    clock.setNowMs(clock.nowMs() + DAY_MS);
    expect(await submit(token)).to.deep.equal([204, '']);
    clock.setNowMs(clock.nowMs() + 1);
    expect(await submit(late)).to.deep.equal([422, 'audit_token_expired']);
    expect(await submit(token)).to.deep.equal([422, 'audit_token_expired']);
    expect(await made.audited('instruction_audit')).to.have.length(1);
  });

  it('is deleted some days after it has expired', async () => {
    const { clock, kernel } = made.node;
    const kept = async () => ((await kernel.get(FactStore).table('instructions_tokens')) as unknown[]).length;
    clock.setNowMs(clock.nowMs() + 6.5 * DAY_MS);
    expect(await submit(token)).to.deep.equal([422, 'audit_token_expired']);
    clock.setNowMs(clock.nowMs() + DAY_MS);
    const fresh = (await made.recalled({ intent: 'deploy' })).audit_token;
    expect(await kept()).to.equal(2);
    await clock.advance(10 * 60 * 1_000);
    await comesTrue(async () => (await kept()) === 1);
    expect(await submit(token)).to.deep.equal([422, 'audit_token_invalid']);
    expect(await submit(fresh)).to.deep.equal([204, '']);
  });

  it('cannot bring text into the log other than names of units', async () => {
    const used = ['deploy', 'deploy', 'a secret', { name: 'deploy' }, 5, null, 'rollback'];
    expect(await submit(token, { used_chunks: used, missed_chunks: ['s3cret', 'deploy'] })).to.deep.equal([204, '']);
    const [{ detail }] = (await made.audited('instruction_audit')) as [{ detail: unknown }];
    expect(detail).to.deep.equal({
      version: 'v1',
      chunks: ['deploy'],
      used_chunks: ['deploy'],
      missed_chunks: ['deploy'],
    });
  });

  it('gives each recall its own audit token, and stores no token in plain text', async () => {
    const tokens = new Set([token]);
    for (let n = 0; n < 20; n += 1) tokens.add((await made.recalled({ intent: 'deploy' })).audit_token);
    expect(tokens.size).to.equal(21);
    expect(JSON.stringify(made.node.logLines)).not.to.include(token);
    const rows: unknown = await made.node.kernel.get(FactStore).table('instructions_tokens');
    expect(rows).to.have.length(21);
    expect(JSON.stringify(rows)).not.to.include(token.slice('audi_'.length));
  });
});
