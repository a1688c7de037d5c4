import { expect } from 'chai';
import { ADMIN_ACTION, Audit, AuditLog, type VerifiedEntries } from '../../../../plugins/audit/audit-api.ts';
import { adminEntryJson } from '../../../../plugins/audit/audit-entry-json.ts';
import { LINKS_PER_STEP } from '../../../../plugins/audit/chain/keep-checkpoints.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import type { TestNode } from '../../../kit/start-test-node.ts';
import { tamper } from '../../../kit/tamper.ts';
import {
  auditorOf,
  checkpointed,
  documentedDetailHash,
  documentedHash,
  recordActs,
  startAuditNode,
  verified,
} from './audit-chain-node.ts';

/** Direct changes to the stored entries of tenants `T` and `U`, each with the problem that the log of `T` reports. */
const ATTACKS: Readonly<Record<string, readonly [sql: string, reason: string, chainSeq: number]>> = {
  'changes what was done': [
    `UPDATE audit_entries SET detail = '{"name":"x"}' WHERE tenant_id = 'T' AND chain_seq = 3`,
    'an entry was changed, put in or moved',
    3,
  ],
  'changes what was done, and its hash': [
    `UPDATE audit_entries SET detail = NULL, detail_salt = NULL, detail_hash = NULL WHERE tenant_id = 'T' AND chain_seq = 3`,
    'an entry was changed, put in or moved',
    3,
  ],
  'makes a detail look as if its key was destroyed': [
    `UPDATE audit_entries SET detail = 'sealed:1:AAEA' WHERE tenant_id = 'T' AND chain_seq = 3`,
    'the detail of an entry does not open with the present keys',
    3,
  ],
  'changes a hash of what was done': [
    `UPDATE audit_entries SET detail_hash = 'sha256:${'0'.repeat(64)}' WHERE tenant_id = 'T' AND chain_seq = 3`,
    'an entry was changed, put in or moved',
    3,
  ],
  'changes who did it': [
    `UPDATE audit_entries SET entity_uri = 'agent:x' WHERE tenant_id = 'T' AND chain_seq = 1`,
    'an entry was changed, put in or moved',
    1,
  ],
  'changes when it was': [
    `UPDATE audit_entries SET ts_ms = ts_ms - 1 WHERE tenant_id = 'T' AND chain_seq = 6`,
    'an entry was changed, put in or moved',
    6,
  ],
  'writes an invalid time': [
    `UPDATE audit_entries SET ts_ms = 9007199254740991 WHERE tenant_id = 'T' AND chain_seq = 2`,
    'an entry was changed, put in or moved',
    2,
  ],
  'changes a link': [
    `UPDATE audit_entries SET link_hash = 'sha256:${'0'.repeat(64)}' WHERE tenant_id = 'T' AND chain_seq = 4`,
    'an entry was changed, put in or moved',
    4,
  ],
  'removes an entry': [`DELETE FROM audit_entries WHERE tenant_id = 'T' AND chain_seq = 3`, 'an entry is missing', 3],
  'cuts the beginning': [
    `DELETE FROM audit_entries WHERE tenant_id = 'T' AND chain_seq <= 2`,
    'an entry is missing',
    1,
  ],
  'cuts the end': [
    `DELETE FROM audit_entries WHERE tenant_id = 'T' AND chain_seq >= 5`,
    'entries are missing at the end',
    6,
  ],
  'removes all': [`DELETE FROM audit_entries WHERE tenant_id = 'T'`, 'entries are missing at the end', 6],
  'puts an entry in between': [
    `INSERT INTO audit_entries (tenant_id, seq, id, event_type, entity_uri, source, ts_ms, chain_seq, link_hash)
     SELECT tenant_id, 0, 'x', event_type, entity_uri, source, ts_ms, 1, link_hash FROM audit_entries
     WHERE tenant_id = 'T' AND chain_seq = 1`,
    'an entry was changed, put in or moved',
    1,
  ],
  'puts an entry behind the others': [
    `INSERT INTO audit_entries (tenant_id, seq, id, event_type, entity_uri, source, ts_ms, chain_seq, link_hash)
     SELECT tenant_id, 99, 'x', event_type, entity_uri, source, ts_ms, 7, link_hash FROM audit_entries
     WHERE tenant_id = 'T' AND chain_seq = 6`,
    'an entry was changed, put in or moved',
    7,
  ],
  'changes the order': [
    `UPDATE audit_entries SET seq = 99 WHERE tenant_id = 'T' AND chain_seq = 2`,
    'an entry is missing',
    2,
  ],
  'moves an entry of another tenant in': [
    `UPDATE audit_entries SET tenant_id = 'T', seq = 99, chain_seq = 7 WHERE tenant_id = 'U' AND chain_seq = 1`,
    'an entry was changed, put in or moved',
    7,
  ],
  'changes a checkpoint': [
    `UPDATE audit_checkpoints SET created_ms = created_ms - 1 WHERE tenant_id = 'T'`,
    'a checkpoint has no good signature',
    6,
  ],
  'takes the signature off a checkpoint': [
    `UPDATE audit_checkpoints SET signature = NULL WHERE tenant_id = 'T'`,
    'a checkpoint has no good signature',
    6,
  ],
  'gives a tenant the checkpoint of another one': [
    `DELETE FROM audit_checkpoints WHERE tenant_id = 'T'; UPDATE audit_checkpoints SET tenant_id = 'T' WHERE tenant_id = 'U'`,
    'a checkpoint has no good signature',
    3,
  ],
};

forEachStore('an audit log that was tampered with', () => {
  const names = [...Object.keys(ATTACKS), 'recomputes all later links', 'changes entries after the last checkpoint'];
  const own = (name: string): string => `own-${names.indexOf(name)}`;
  const other = (name: string): string => `other-${names.indexOf(name)}`;
  let node: TestNode;
  before(async () => {
    node = await startAuditNode();
    for (const name of names) {
      await recordActs(node, ['a', 'b', 'c', 'd', 'e', 'f'], own(name));
      await recordActs(node, ['p', 'q', 'r'], other(name));
    }
    for (const name of names) {
      await checkpointed(node, own(name));
      await checkpointed(node, other(name));
    }
  });
  after(() => node.stop());

  const problemOf = ({ problem }: VerifiedEntries) => problem && [problem.reason, problem.chainSeq];

  for (const [name, [sql, reason, chainSeq]] of Object.entries(ATTACKS)) {
    it(`is detected when somebody ${name}`, async () => {
      expect((await verified(node, own(name))).problem).to.equal(undefined);
      await tamper(node, sql.replaceAll("'T'", `'${own(name)}'`).replaceAll("'U'", `'${other(name)}'`));
      expect(problemOf(await verified(node, own(name)))).to.deep.equal([reason, chainSeq]);
      if (!sql.includes("'U'"))
        expect((await verified(node, other(name))).problem, 'another tenant').to.equal(undefined);
    });
  }

  it('is detected by a checkpoint even if all later links are recomputed', async () => {
    const tenantId = own('recomputes all later links');
    const { entries } = await node.kernel.get(Audit).log(auditorOf(tenantId), {});
    let previous: string | null = null;
    const statements: string[] = [];
    for (const [at, entry] of entries.entries()) {
      const shown = adminEntryJson(entry);
      const changed = at < 3 ? shown : { ...shown, detail: '{"name":"x"}' };
      previous = documentedHash(changed, { chainSeq: at + 1, previous });
      statements.push(
        `UPDATE audit_entries SET detail = '${changed['detail']}', link_hash = '${previous}', ` +
          `detail_hash = '${documentedDetailHash(changed['detail_salt'], changed['detail'])}' ` +
          `WHERE tenant_id = '${tenantId}' AND chain_seq = ${at + 1}`,
      );
    }
    await tamper(node, statements.join('; '));
    expect(problemOf(await verified(node, tenantId))).to.deep.equal(['the log does not fit a checkpoint', 6]);
  });

  it('is detected when any checkpoint but the last is removed, also beside the border of two parts', async () => {
    const tenantId = 'parted';
    const log = node.kernel.get(AuditLog);
    const entry = { event: ADMIN_ACTION, tenantId, entityUri: 'agent:ops' };
    for (const count of [1, LINKS_PER_STEP - 2, 1, 1, LINKS_PER_STEP - 1, 1, 1]) {
      await log.record(Array.from({ length: count }, () => entry));
      await checkpointed(node, tenantId);
    }
    const missing = async (): Promise<boolean> => {
      for (let afterSeq = 0; ; ) {
        const { problem, place, more } = await verified(node, tenantId, afterSeq);
        if (problem !== undefined) return problem.reason === 'a checkpoint is missing';
        if (!more) return false;
        afterSeq = place?.number ?? 0;
      }
    };
    const { checkpoint } = await verified(node, tenantId);
    const last = Number(checkpoint?.['log_index']);
    expect([last, await missing()]).to.deep.equal([6, false]);
    const move = (index: number, from: string, to: string) =>
      tamper(
        node,
        `UPDATE audit_checkpoints SET tenant_id = '${to}' WHERE tenant_id = '${from}' AND log_index = ${index}`,
      );
    const found: number[] = [];
    for (let index = 0; index < last; index += 1) {
      await move(index, tenantId, 'elsewhere');
      if (await missing()) found.push(index);
      await move(index, 'elsewhere', tenantId);
    }
    expect(found).to.deep.equal([0, 1, 2, 3, 4, 5]);
  });

  it('is reported once and gets no further checkpoint, while logs of other tenants continue', async () => {
    const [name] = names.slice(-1) as [string];
    const [tenantId, otherId] = [own(name), other(name)];
    await recordActs(node, ['g', 'h'], tenantId);
    await tamper(node, `UPDATE audit_entries SET detail = NULL WHERE tenant_id = '${tenantId}' AND chain_seq = 8`);
    await recordActs(node, ['s'], otherId);
    await checkpointed(node, otherId);
    await recordActs(node, ['i'], tenantId);
    await recordActs(node, ['t'], otherId);
    await checkpointed(node, otherId);
    const { checkpoint, problem } = await verified(node, tenantId);
    expect([checkpoint?.['covered_chain_seq'], problem?.chainSeq]).to.deep.equal([7, 8]);
    const reports = node.logLines.filter(({ fields }) => fields['tenantId'] === tenantId);
    expect(reports.map(({ message }) => message)).to.deep.equal([
      'the audit log does not hold: the store was changed from outside',
    ]);
  });
});
