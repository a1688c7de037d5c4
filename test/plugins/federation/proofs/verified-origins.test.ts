import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { DEFAULT_TENANT } from '../../../../kernel/plugin-api.ts';
import { createStoreCounter } from '../../../fakes/counting-store.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { pluginStore } from '../../../kit/plugin-store.ts';
import { inTemporaryFolder } from '../../../kit/temporary-folder.ts';
import { receive, say, servingNodes } from '../serving/pull-kit.ts';
import type { ServingNode } from '../serving-kit.ts';

const PROOF = { keyId: '0123456789abcdef', salt: 's', refsSalt: 's', signature: 's' };
const ORIGIN = 'svc://origin.test';
const SENDER = 'svc://sender.test';

forEachStore('the origin of a received fact', () => {
  const start = servingNodes();
  /** Stores a received fact whose proof of origin got this verdict. */
  const receiveWith = async (node: ServingNode, verdict: 'verified' | 'unverified', members: object = {}) => {
    const id = await receive(node, members);
    const draft = {
      id,
      hlcText: '1.0',
      timestamp: '2026-03-02T09:15:04.120Z',
      entity: 'user:a',
      relation: 'memory:x',
      value: { type: 'null', v: null, interpretAs: 'content' },
      source: 'agent:y',
      confidence: 1,
      scope: 'public',
    } as const;
    const stored = { tenantId: DEFAULT_TENANT, id, entityKey: 'user:a', scope: 'public' } as const;
    const kept = [{ stored, fact: { draft, originNodeId: ORIGIN, proof: PROOF }, verdict }];
    await pluginStore(node.store).write(DEFAULT_TENANT, (transaction) => node.serving.proofs.keep(kept, transaction));
    return id;
  };
  const read = async (node: ServingNode, id: string, key: string) =>
    (await node.request('GET', `/v1/facts/${id}`, { key })).body;

  it('is marked as verified or unverified, but only for admins and never for facts of this node', async () => {
    const node = await start();
    const ids = [await receiveWith(node, 'verified'), await receiveWith(node, 'unverified'), await receive(node, {})];
    const admin = await node.addKey({ entityUri: 'agent:admin', permissions: ['read', 'admin'] });
    const shown = await Promise.all(ids.map((id) => read(node, id, admin)));
    expect(shown.map((fact) => fact.origin_verified)).to.deep.equal([true, false, false]);
    expect(await read(node, ids[0] as string, await node.addKey())).not.to.have.property('origin_verified');
    expect(await read(node, (await say(node)).id, admin)).not.to.have.property('origin_verified');
  });

  it('determines the trust in the fact if its proof is valid; otherwise the sender does', async () => {
    await inTemporaryFolder(async (folder) => {
      const rules = { default: 0.5, sources: { 'agent:y': 1, [ORIGIN]: 0.8, [SENDER]: 0.2 } };
      const file = join(folder, 'rules.json');
      await writeFile(file, JSON.stringify(rules));
      const node = await start({ env: { SVC_TRUST_RULES_FILE: file } });
      const key = await node.addKey();
      const trustOf = async (id: string) => (await read(node, id, key)).source_trust;
      expect(await trustOf(await receiveWith(node, 'verified'))).to.equal(0.8);
      expect(await trustOf(await receiveWith(node, 'unverified'))).to.equal(0.2);
      expect(await trustOf(await receive(node, {}))).to.equal(0.2);
    });
  });

  it('costs admins one more statement, and other callers none', async () => {
    const counter = createStoreCounter();
    const node = await start({ wrapStore: counter.count });
    const [received, own] = [await receiveWith(node, 'verified'), (await say(node)).id];
    // A delayed key notification may cause one more key lookup, so several runs are counted.
    const statementsOf = async (id: string, key: string) => {
      const counts: number[] = [];
      for (let run = 0; run < 5; run += 1) counts.push((await counter.during(() => read(node, id, key))).statements);
      return Math.min(...counts);
    };
    const more: number[] = [];
    for (const permissions of [['read'], ['read', 'admin']]) {
      const key = await node.addKey({ entityUri: `agent:${permissions}`, permissions });
      more.push((await statementsOf(received, key)) - (await statementsOf(own, key)));
    }
    expect(more).to.deep.equal([0, 1]);
  });
});
