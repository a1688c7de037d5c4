import { expect } from 'chai';
import { canonicalJson, decodeBase64Url, hashText, verifyEd25519 } from '../../../../kernel/internal-api.ts';
import { NodeSelf } from '../../../../kernel/plugin-api.ts';
import { ADMIN_ACTION, AuditLog } from '../../../../plugins/audit/audit-api.ts';
import { NodeInfo } from '../../../../plugins/node-info/node-info-api.ts';
import { FactStore } from '../../../../ports/ports.ts';
import { createStoreCounter } from '../../../fakes/counting-store.ts';
import { createSeededRandom } from '../../../fakes/seeded-random.ts';
import { createPrincipal } from '../../../kit/create-principal.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { rejection } from '../../../kit/rejection.ts';
import type { TestNode } from '../../../kit/start-test-node.ts';
import {
  assertFact,
  checkpointed,
  documentedHash,
  entriesOf,
  recordActs,
  startAuditNode,
  verified,
} from './audit-chain-node.ts';

forEachStore('the chain of audit entries', () => {
  const counter = createStoreCounter();
  let node: TestNode;
  let auditor: string;
  beforeEach(async () => {
    node = await startAuditNode({ wrapStore: (store) => counter.count(store) });
    auditor = await node.addKey({ entityUri: 'agent:auditor', permissions: ['audit.read'] });
  });
  afterEach(() => node.stop());

  const act = (name: string) =>
    ({ event: ADMIN_ACTION, tenantId: 'default', entityUri: 'agent:ops', detail: { name } }) as const;
  const verify = async (query = '') => (await node.request('GET', `/v1/audit/verify${query}`, { key: auditor })).body;

  it('links each entry to the previous audit entry by the documented rule, across entries of other plugins', async () => {
    const log = node.kernel.get(AuditLog);
    await log.record([act('a'), { ...act('b"\\\n\u00e9\u{1f511}'), factId: 'f', oidcSub: 's', source: '\ud800' }]);
    await assertFact(node, 'one');
    await log.record(act('c'));
    await node.facts.append(
      {
        entity: 'user:two',
        relation: 'memory:n',
        value: { type: 'string', v: '2', interpretAs: 'content' },
        source: 'agent:s',
        confidence: 1,
        scope: 'local',
      },
      createPrincipal({ entityUri: 'agent:w' }),
      {
        beforeCommit: async (transaction) => {
          await log.record(act('d'), transaction);
          await log.record([act('e'), act('f')], transaction);
        },
      },
    );
    await log.record(act('g'));
    let previous: string | null = null;
    const entries = await entriesOf(node, auditor);
    for (const [at, entry] of entries.entries()) {
      previous = documentedHash(entry, { chainSeq: at + 1, previous });
    }
    expect(entries.length).to.be.at.least(7);
    const { place, head, checked, problem, more } = await verified(node);
    expect([problem, more, checked]).to.deep.equal([undefined, false, entries.length]);
    expect(hashText(place?.link.hash ?? new Uint8Array())).to.equal(previous);
    expect(place).to.deep.equal(head);
  });

  it('continues after a failed transaction', async () => {
    const log = node.kernel.get(AuditLog);
    await log.record(act('a'));
    const store = node.kernel.get(FactStore);
    const failed = node.facts.append(
      {
        entity: 'user:x',
        relation: 'memory:n',
        value: { type: 'string', v: '2', interpretAs: 'content' },
        source: 'agent:s',
        confidence: 1,
        scope: 'local',
      },
      createPrincipal({ entityUri: 'agent:w' }),
      {
        beforeCommit: async (transaction) => {
          await log.record(act('lost'), transaction);
          throw new Error('broken on purpose');
        },
      },
    );
    expect(await rejection(failed)).to.be.an.instanceOf(Error);
    // Uses up the ledger number that the lost entry had.
    await store.write('default', (transaction) => transaction.takeNumbers(1));
    await log.record(act('b'));
    await Promise.all(['c', 'd', 'e'].map((name) => log.record(act(name))));
    expect((await verified(node)).problem).to.equal(undefined);
  });

  it('stays valid when several processes with their own caches write', async () => {
    const others = [
      await startAuditNode({ folder: node.folder, random: createSeededRandom(7) }),
      await startAuditNode({ folder: node.folder, random: createSeededRandom(8) }),
    ];
    const nodes = [node, ...others];
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(nodes.map((each, at) => recordActs(each, [`${round} ${at}`, `${round} ${at} again`])));
    }
    for (const other of others) await other.stop();
    const { problem, checked } = await verified(node);
    expect([problem, checked >= nodes.length * 8]).to.deep.equal([undefined, true]);
  });

  it('takes a read of the ledger only if the ledger has grown since the last entry', async () => {
    const record = () => counter.during(() => recordActs(node, ['x']));
    await record();
    const alone = await record();
    expect(alone.statements, 'where the ledger ends, numbers, rows').to.equal(3);
    await assertFact(node, 'between');
    expect((await record()).statements).to.equal(4);
    expect(await record()).to.deep.equal(alone);
  });

  it('is covered by a checkpoint that the node signs', async () => {
    await recordActs(node, ['a', 'b']);
    await checkpointed(node);
    const { checkpoint, ok, head } = await verify();
    const { public_key, signature, ...signed } = checkpoint;
    expect(ok).to.equal(true);
    expect(signed).to.deep.include({ kind: 'svc.audit_checkpoint', tenant_id: 'default', version: 1 });
    expect([signed.covered_seq, signed.covered_chain_seq, signed.chain_hash]).to.deep.equal([
      head.seq,
      head.chain_seq,
      head.hash,
    ]);
    expect(signed.node_id).to.equal(node.kernel.get(NodeSelf).nodeId);
    expect(public_key).to.equal((await node.kernel.get(NodeInfo).metadata()).federation_pubkey);
    const bytes = Buffer.from(canonicalJson(signed));
    const [key, sig] = [decodeBase64Url(public_key), decodeBase64Url(signature)];
    expect(verifyEd25519(key as Uint8Array, bytes, sig as Uint8Array)).to.equal(true);
  });

  it('gets a new linked checkpoint only after new entries', async () => {
    await recordActs(node, ['a']);
    await checkpointed(node);
    const first = (await verify()).checkpoint;
    await node.clock.advance(60_000);
    expect((await verify()).checkpoint).to.deep.equal(first);
    await recordActs(node, ['b']);
    await checkpointed(node);
    const second = (await verify()).checkpoint;
    expect([second.log_index, second.prev_hash]).to.deep.equal([first.log_index + 1, first.chain_hash]);
    expect((await verify()).ok).to.equal(true);
  });

  it('of a tenant reveals nothing about other tenants', async () => {
    await recordActs(node, ['a']);
    const before = await verify();
    await recordActs(node, ['p', 'q'], 'other');
    expect(await verify()).to.deep.equal(before);
    expect((await verified(node, 'other')).checked).to.equal(2);
    expect((await verified(node, 'nobody')).head).to.equal(undefined);
  });

  it('can be verified in parts, from any entry', async () => {
    const log = node.kernel.get(AuditLog);
    await log.record(Array.from({ length: 2_500 }, (_, at) => act(`${at}`)));
    const first = await verify();
    expect([first.ok, first.checked, first.next_cursor]).to.deep.equal([true, 2_000, first.verified.seq]);
    const second = await verify(`?cursor=${first.next_cursor}`);
    expect([second.ok, second.next_cursor]).to.deep.equal([true, null]);
    expect(first.checked + second.checked).to.equal(second.head.chain_seq);
    expect(second.verified).to.deep.equal(second.head);
    const later = await verify(`?cursor=${second.head.seq}`);
    expect([later.ok, later.checked]).to.deep.equal([true, 0]);
  });

  it('can be verified only by callers who may read all entries', async () => {
    for (const [permission, status] of [
      ['admin', 200],
      ['read', 403],
      ['write', 403],
    ] as const) {
      const key = await node.addKey({ entityUri: `agent:${permission}`, permissions: [permission] });
      expect((await node.request('GET', '/v1/audit/verify', { key })).status, permission).to.equal(status);
    }
    const bad = await node.request('GET', '/v1/audit/verify?cursor=x', { key: auditor });
    expect([bad.status, bad.body.code]).to.deep.equal([400, 'invalid_cursor']);
  });
});
