import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { canonicalJson, decodeBase64Url, verifyEd25519 } from '../../../kernel/internal-api.ts';
import { NodeIdentity } from '../../../plugins/node-info/node-info-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { currentStore, forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { type Ask, type Filled, fillTenant } from './filled-tenant.ts';
import { ADMIN_RIGHTS, rawKey, startTenantsNode, type TenantsNode } from './tenants-node.ts';

/** A word in every text of the erased tenant, and in no other text. */
const CANARY = 'xylograph';
const RIGHTS = [...ADMIN_RIGHTS, 'instruction:write'];

/** Returns the rows of every table as text, with bytes in hexadecimal digits. */
const everyRow = async (node: TenantsNode): Promise<Map<string, string[]>> => {
  const store = node.kernel.get(FactStore);
  const rows = new Map<string, string[]>();
  for (const table of await store.tables()) {
    const found = (await store.table(table)) as Record<string, unknown>[];
    rows.set(
      table,
      found.map((row) =>
        JSON.stringify(Object.values(row).map((value) => (value instanceof Uint8Array ? hexOf(value) : value))),
      ),
    );
  }
  return rows;
};

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Returns every file below a folder with its bytes. */
const everyFile = async (folder: string): Promise<[string, Buffer][]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map(async (file): Promise<[string, Buffer]> => [file, await readFile(file)]));
};

forEachStore('a tenant that is erased', () => {
  let node: TenantsNode;
  let theirs: string;
  let filled: Filled;
  const ask =
    (key: string): Ask =>
    async (status, method, path, body, headers = {}) => {
      const reply = await node.request(method, path, { key, body, headers: headers as Record<string, string> });
      expect(reply.status, `${method} ${path}: ${reply.text}`).to.equal(status);
      return reply;
    };
  const erased = async () => (await node.must(200, 'GET', '/v1/tenants/theirs')).body;
  beforeEach(async () => {
    node = await startTenantsNode();
    theirs = await node.addKey({ entityUri: 'agent:admin', permissions: RIGHTS, tenantId: 'theirs' });
    filled = await fillTenant(ask(theirs), CANARY);
  });
  afterEach(() => node?.stop());

  it('leaves none of its data in rows, files and answers, and gets a signed receipt', async () => {
    const reply = await node.must(200, 'DELETE', '/v1/tenants/theirs', { confirm: 'theirs' });
    const { status, name, erasure } = reply.body;
    expect({ status, name }).to.deep.equal({ status: 'erased', name: null });
    const { signature, ...content } = erasure.receipt;
    expect(content.erased.facts).to.be.above(5);
    expect(content.erased).to.include.keys('keys_api_keys', 'gardens_gardens', 'subscriptions_records', 'ledgers');
    const identity = node.kernel.get(NodeIdentity);
    const key = decodeBase64Url(identity.publicKey) as Uint8Array;
    const text = Buffer.from(canonicalJson(content));
    expect(verifyEd25519(key, text, decodeBase64Url(signature) as Uint8Array)).to.equal(true);

    const hidden = [CANARY, hexOf(Buffer.from(CANARY)), filled.factId, filled.cid, filled.cid.slice('sha256:'.length)];
    for (const [table, rows] of await everyRow(node)) {
      for (const row of rows) {
        expect(
          hidden.filter((word) => row.includes(word)),
          `${table}: ${row}`,
        ).to.deep.equal([]);
        const isDirectory = ['multi_tenant_tenants', 'node_removed_tenants', 'audit_entries', 'jobs_queue'].includes(
          table,
        );
        if (!isDirectory) expect(row, table).not.to.include('"theirs"');
      }
    }
    if (currentStore() === 'sqlite') {
      const bytes = [
        Buffer.from(CANARY),
        Buffer.from(filled.factId),
        Buffer.from(filled.factId.replaceAll('-', ''), 'hex'),
      ];
      for (const [file, content] of await everyFile(node.folder)) {
        expect(
          bytes.filter((word) => content.includes(word)),
          file,
        ).to.deep.equal([]);
      }
    }
    await node.must(401, 'GET', '/v1/me', undefined, theirs);
    await node.must(404, 'GET', '/v1/tenants/theirs/export');
    for (const path of ['/v1/facts?limit=500', '/v1/audit', '/v1/auth/audit', '/v1/admin/billing/events']) {
      expect((await node.must(200, 'GET', path)).text).not.to.include(CANARY);
    }
  });

  it('can never be created again, and its keys and running writes are refused', async () => {
    await node.must(200, 'DELETE', '/v1/tenants/theirs', { confirm: 'theirs' });
    const first_key = { raw_key: rawKey('again'), entity_uri: 'agent:admin' };
    await node.must(409, 'POST', '/v1/tenants', { id: 'theirs', first_key });
    await node.must(409, 'PATCH', '/v1/tenants/theirs', { status: 'active' });
    const reused = { raw_key: theirs, entity_uri: 'agent:admin' };
    await node.must(409, 'POST', '/v1/tenants', { id: 'other', first_key: reused });
    const store = node.kernel.get(FactStore);
    expect(await rejection(store.write('theirs', async () => {}))).to.include({ code: 'authorization' });
    const again = await node.must(200, 'DELETE', '/v1/tenants/theirs', { confirm: 'theirs' });
    expect(again.body).to.deep.equal(await erased());
  });

  it('must be confirmed with its id', async () => {
    const refused = await node.must(422, 'DELETE', '/v1/tenants/theirs', { confirm: 'their' });
    expect(refused.body.errors[0].path).to.equal('body.confirm');
    expect((await erased()).status).to.equal('active');
    await node.must(404, 'DELETE', '/v1/tenants/no-such', { confirm: 'no-such' });
  });

  it('changes no answer to other tenants, and none of their rows', async () => {
    const ours = await node.addKey({ entityUri: 'agent:admin', permissions: RIGHTS, tenantId: 'ours' });
    await fillTenant(ask(ours), 'lantern');
    const look = async () => {
      const seen: string[] = [];
      for (const path of ['/v1/facts?limit=500', '/v1/conflicts?status=all', '/v1/gardens', '/v1/subscriptions']) {
        const { text } = await node.must(200, 'GET', path, undefined, ours);
        seen.push(text.replaceAll(/"request_id":"[^"]*"|"cursor":"[^"]*"/g, ''));
      }
      const recalled = await node.must(200, 'POST', '/v1/recall', { query: 'lantern', token_budget: 2_000 }, ours);
      return [...seen, recalled.body.facts.map(({ id }: { id: string }) => id).sort()];
    };
    const rowsOfOurs = async () =>
      [...(await everyRow(node))].map(([table, rows]) => [table, rows.filter((row) => row.includes('"ours"')).length]);
    const before = await look();
    const rows = await rowsOfOurs();
    await node.must(200, 'DELETE', '/v1/tenants/theirs', { confirm: 'theirs' });
    await comesTrue(async () => JSON.stringify(await look()) === JSON.stringify(before));
    expect((await rowsOfOurs()).filter(([table]) => !/recall|audit|search|ledgers/.test(String(table)))).to.deep.equal(
      rows.filter(([table]) => !/recall|audit|search|ledgers/.test(String(table))),
    );
  });
});
