import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ADMIN_ACTION, Audit, AuditLog } from '../../../../plugins/audit/audit-api.ts';
import { verifyFile } from '../../../../plugins/audit/chain/verify-file.ts';
import { runInProcess } from '../../../adapters/cli/run-in-process.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { rejection } from '../../../kit/rejection.ts';
import type { TestNode } from '../../../kit/start-test-node.ts';
import { assertFact, auditorOf, checkpointed, recordActs, startAuditNode } from './audit-chain-node.ts';

type Line = Readonly<Record<string, unknown>>;

/** Manipulations of the exported lines, each with the problem that the verification reports. */
const ATTACKS: Readonly<Record<string, readonly [change: (lines: Line[]) => readonly Line[], problem: string]>> = {
  'changes an entry': [
    (lines) => lines.with(2, { ...lines[2], entity_uri: 'agent:x' }),
    'the entry in line 3 was changed',
  ],
  'changes a link': [
    (lines) => lines.with(2, { ...lines[2], link_hash: `sha256:${'0'.repeat(64)}` }),
    'the entry in line 3 was changed',
  ],
  'removes an entry': [(lines) => lines.toSpliced(2, 1), 'line 3 does not follow the entry before it'],
  'puts an entry in': [
    (lines) => lines.toSpliced(2, 0, lines[1] as Line),
    'line 3 does not follow the entry before it',
  ],
  'changes the order': [
    (lines) => lines.with(2, lines[3] as Line).with(3, lines[2] as Line),
    'line 3 does not follow the entry before it',
  ],
  'cuts the end': [(lines) => lines.slice(0, -1), 'the end of the export is missing'],
  'cuts entries before the end': [
    (lines) => lines.toSpliced(-3, 2),
    'the checkpoint covers the entry 6 of the chain, which is missing',
  ],
  'adds lines behind the end': [(lines) => [...lines, lines[1] as Line], 'line 8 follows the end of the export'],
  'changes the checkpoint': [
    (lines) => lines.with(-1, { entries: 6, checkpoint: { ...(lines.at(-1)?.['checkpoint'] as Line), log_index: 7 } }),
    'the checkpoint has no good signature',
  ],
};

forEachStore('the audit log as JSON lines', () => {
  let node: TestNode;
  beforeEach(async () => {
    node = await startAuditNode({ plugins: ['audit', 'facts', 'node-info'] });
  });
  afterEach(() => node.stop());

  const exported = async (key: string, query = 'format=jsonl', headers = {}) => {
    const reply = await node.request('GET', `/v1/audit/export?${query}`, { key, headers });
    expect(reply.status, reply.text).to.equal(200);
    const lines = reply.text.trimEnd().split('\n');
    return { type: reply.headers['content-type'], lines: lines.map((line) => JSON.parse(line) as Line) };
  };
  const auditor = (): Promise<string> =>
    node.addKey({ entityUri: 'agent:auditor', permissions: ['audit.read', 'read'] });
  const write = (lines: readonly Line[]): string => {
    const path = join(node.folder, 'audit.jsonl');
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return path;
  };

  it('contains every entry with its link, oldest first, and a checkpoint at the end', async () => {
    await recordActs(node, ['a', 'b']);
    const { view } = await assertFact(node, 'one');
    await recordActs(node, ['c']);
    await checkpointed(node);
    await recordActs(node, ['d']);
    const { type, lines } = await exported(await auditor());
    expect(type).to.equal('application/x-ndjson');
    expect(lines.map((line) => line['chain_seq'])).to.deep.equal([1, 2, null, 3, 4, undefined]);
    expect(lines[2]).to.include({ event_type: 'fact_write', fact_id: view.fact.id, fact_entity: 'user:one' });
    expect(lines.at(-1)).to.include({ entries: 5 });
    const { problem, checked, uncovered, checkpoint } = await verifyFile(createReadStream(write(lines)), undefined);
    expect([problem, checked, uncovered]).to.deep.equal([undefined, 4, 1]);
    expect((await verifyFile(createReadStream(write(lines)), String(checkpoint?.['public_key']))).problem).to.equal(
      undefined,
    );
    const other = await verifyFile(createReadStream(write(lines)), 'A'.repeat(43));
    expect(other.problem).to.equal('another key has signed the checkpoint');
  });

  it('is the reply for a matching Accept header, and CSV is the default', async () => {
    const key = await auditor();
    await recordActs(node, ['a']);
    const accepted = await exported(key, '', { Accept: 'application/x-ndjson' });
    expect(accepted.lines).to.have.length(2);
    for (const [query, accept] of [
      ['', '*/*'],
      ['format=csv', 'application/x-ndjson'],
    ]) {
      const reply = await node.request('GET', `/v1/audit/export?${query}`, {
        key,
        headers: { Accept: String(accept) },
      });
      expect(reply.headers['content-type'], query).to.contain('text/csv');
    }
    expect((await node.request('GET', '/v1/audit/export?format=xml', { key })).status).to.equal(400);
  });

  it('is complete over many pages, and cannot be verified if a filter omits entries', async () => {
    const entry = { event: ADMIN_ACTION, tenantId: 'default', entityUri: 'agent:ops' };
    const other = { ...entry, entityUri: 'agent:other' };
    await node.kernel.get(AuditLog).record(Array.from({ length: 1_300 }, (_, at) => (at % 100 === 5 ? other : entry)));
    const key = await auditor();
    const all = await exported(key);
    expect(all.lines).to.have.length(1_301);
    expect((await verifyFile(createReadStream(write(all.lines)), undefined)).checked).to.equal(1_300);
    const some = await exported(key, 'format=jsonl&entity_uri=agent:ops');
    expect((await verifyFile(createReadStream(write(some.lines)), undefined)).problem).to.match(/does not follow/);
    // The verification trusts the first entry of an export that starts in the middle of the log.
    const { problem, checked } = await verifyFile(createReadStream(write(all.lines.slice(700))), undefined);
    expect([problem, checked]).to.deep.equal([undefined, 599]);
  });

  it('hides numbers, links and checkpoints from callers limited to own entries', async () => {
    await recordActs(node, ['a']);
    await assertFact(node, 'one');
    await checkpointed(node);
    const { lines } = await exported(await node.addKey({ entityUri: 'agent:w', permissions: ['read'] }));
    expect(lines.at(-1)).to.deep.equal({ entries: 1, checkpoint: null });
    expect(lines[0]).to.include({ event_type: 'fact_write', entity_uri: 'agent:w' });
    expect(lines[0]).not.to.have.any.keys('seq', 'chain_seq', 'link_hash', 'detail', 'tenant_id');
  });

  it('lacks its last line if the reader disconnects', async () => {
    await recordActs(node, ['a']);
    const stop = AbortSignal.abort(new Error('gone'));
    const read = async () => {
      for await (const piece of node.kernel.get(Audit).exportLines(auditorOf(), {}, stop)) expect(piece).to.equal('');
    };
    expect(await rejection(read())).to.have.property('message', 'gone');
  });

  it('fails the verification after any change', async () => {
    await recordActs(node, ['a', 'b', 'c', 'd', 'e', 'f']);
    await checkpointed(node);
    const { lines } = await exported(await auditor());
    expect((await verifyFile(createReadStream(write(lines)), undefined)).problem).to.equal(undefined);
    for (const [attack, [change, problem]] of Object.entries(ATTACKS)) {
      expect((await verifyFile(createReadStream(write(change([...lines]))), undefined)).problem, attack).to.equal(
        problem,
      );
    }
    const path = write(lines);
    const run = await runInProcess(['audit', 'verify', '--file', path]);
    expect([run.exitCode, run.stdout.split('\n')[0]]).to.deep.equal([0, '6 entries hold; 0 in no checkpoint yet']);
    write(lines.toSpliced(2, 1));
    const changed = await runInProcess(['audit', 'verify', '--file', path]);
    expect([changed.exitCode, changed.stdout]).to.deep.equal([1, '']);
    expect(changed.stderr).to.equal('the export does not hold: line 3 does not follow the entry before it\n');
    writeFileSync(path, 'no json');
    const broken = await runInProcess(['audit', 'verify', '--file', path]);
    expect(broken.exitCode).to.equal(1);
    expect(broken.stderr).to.contain('line 1 is no JSON object');
  });
});
