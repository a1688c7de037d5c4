import { expect } from 'chai';
import fc from 'fast-check';
import { StoreVerification } from '../../../plugins/backup/backup-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { forEachStore, type StoreKind } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { tamper } from '../../kit/tamper.ts';
import type { TestReply } from '../../kit/test-request.ts';
import { READING_ROUTES, type Target } from '../../plugins/gardens/reading-routes.ts';
import { exportLines } from '../../plugins/transfer/transfer-node.ts';

/** The store holds one damaged row at a time, and gets it back whole after each case. */
const CASES = Math.ceil(RUNS / 10);

/** Columns that the node parses, with a text that it never writes. */
const UNREADABLE: Readonly<Record<string, string>> = {
  derived_from: '["sha256:0',
  scope: 'publis',
  value_type: 'strinG',
  interpret_as: '',
  timestamp: '2026-02-01T09:60:00+01:00',
  valid_from: '2026-02-30T00:00:00Z',
  valid_until: '2026-99',
  hlc_text: '12',
};

forEachStore('One row of the store is damaged (I20)', (kind) => {
  let node: TestNode;
  let key: string;
  let damagedId: string;
  let otherId: string;
  let row: Readonly<Record<string, unknown>>;

  const post = async (path: string, body: unknown) => {
    const reply = await node.request('POST', path, { key, body });
    expect(reply.status, reply.text).to.be.oneOf([200, 201]);
    return reply.body;
  };
  const assert = (entity: string, members: object = {}) =>
    post('/v1/facts', {
      entity,
      relation: 'memory:home',
      value: { type: 'string', v: 'a zeppelin' },
      source: 'agent:s',
      scope: 'company',
      ...members,
    });

  before(async () => {
    node = await startTestNode();
    key = await node.addKey({ permissions: ['read', 'write', 'admin', 'audit.read'] });
    const parent = await assert('user:parent');
    ({ id: otherId } = await assert('user:bob', { derived_from: [parent.cid] }));
    ({ id: damagedId } = await assert('user:alice', {
      relation: 'rel:knows',
      value: { type: 'ref', v: 'user:bob' },
      derived_from: [parent.cid],
      timestamp: '2026-02-01T09:00:00+01:00',
      valid_until: '2090-02-01T09:00:00+01:00',
    }));
    await assert('user:alice', { value: { type: 'string', v: 'a zeppelin, too' }, confidence: 0.4 });
    row = await node.kernel
      .get(FactStore)
      .read(async (snapshot) => (await snapshot.select('facts', { id: damagedId }))[0] ?? {});
  });
  after(() => node.stop());

  const numberOf = () => `tenant_id = '${row['tenant_id']}' AND number = ${row['number']}`;
  const write = (column: string, bytes: Uint8Array | null) => {
    const where = column === 'tenant_id' ? `number = ${row['number']}` : numberOf();
    return tamper(
      node,
      `UPDATE facts SET ${column} = ${bytes === null ? 'NULL' : textSql(bytes, kind)} WHERE ${where}`,
    );
  };
  const spoilt = async <T>(column: string, bytes: Uint8Array, work: () => Promise<T>): Promise<T> => {
    await write(column, bytes);
    try {
      return await work();
    } finally {
      await write(column, row[column] == null ? null : Buffer.from(String(row[column])));
    }
  };

  /** Routes that read both facts. */
  const READS = [
    '/v1/facts',
    '/v1/cards/user:alice',
    '/v1/cards/user:bob',
    '/v1/graph/neighbors?entity=user:alice',
    '/v1/history/user:alice',
    '/v1/conflicts',
    '/v1/synthesis',
    '/v1/lint',
    '/v1/audit',
  ];
  const targets = (): readonly (readonly [method: string, ...Target])[] => {
    const seen = { factId: damagedId, cid: String(row['cid']), derivedId: otherId };
    return Object.entries(READING_ROUTES).flatMap(([route, reads]) =>
      typeof reads === 'string' ? [] : reads(seen).map((target) => [route.split(' ')[0] as string, ...target] as const),
    );
  };
  const askBelow500 = async (method: string, path: string, body?: unknown): Promise<TestReply> => {
    const reply = await node.request(method, path, { key, ...(body === undefined ? {} : { body }) });
    expect(reply.status, `${method} ${path} ${reply.text}`).to.be.below(500);
    return reply;
  };
  /** Fails if a route fails, or leaves out the whole fact beside the damaged one. */
  const askAll = async (): Promise<void> => {
    for (const path of [...READS, `/v1/facts/${damagedId}`, `/v1/facts/${damagedId}/provenance`]) {
      await askBelow500('GET', path);
    }
    const list = await askBelow500('GET', '/v1/facts?entity=user:bob');
    expect(list.text).to.include(otherId);
    const recall = await askBelow500('POST', '/v1/recall', { query: 'zeppelin', token_budget: 2_000 });
    expect(recall.text).to.include(otherId);
    await askBelow500('POST', `/v1/facts/${damagedId}/verify-cid`);
    expect((await exportLines(node)).join()).to.include(otherId);
  };

  for (const [column, text] of Object.entries(UNREADABLE)) {
    it(`leaves only that fact out of answers when ${column} cannot be read`, () =>
      spoilt(column, Buffer.from(text), async () => {
        await askAll();
        const list = await node.request('GET', '/v1/facts?entity=user:alice', { key });
        expect(list.text).not.to.include(damagedId);
        expect(await exportLines(node)).to.satisfy((lines: string[]) => !lines.some(isFactLineOf(damagedId)));
        expect((await exportLines(node)).at(-1)).to.include('"damaged":1');
      }));
  }

  it('is reported: reading the fact by id is refused, the row is counted, and its column is logged', () =>
    spoilt('derived_from', Buffer.from('['), async () => {
      const { status, body } = await node.request('GET', `/v1/facts/${damagedId}`, { key });
      expect([status, body.code]).to.deep.equal([409, 'cid_mismatch']);
      await node.request('GET', '/v1/facts?entity=user:alice', { key });
      const metrics = await node.request('GET', '/v1/metrics', { key });
      expect(metrics.text).to.match(/_facts_damaged_total [1-9]/);
      expect(node.logLines.map(({ message }) => message)).to.include(
        'a stored fact is damaged and is left out of lists',
      );
    }));

  it('is reported by "verify"', () =>
    spoilt('derived_from', Buffer.from('['), async () => {
      const { findings } = await node.kernel.get(StoreVerification).run();
      const messages = findings.filter(({ check }) => check === 'facts').map(({ message }) => message);
      expect(messages).to.deep.equal([`the column derived_from of the fact ${damagedId} is damaged`]);
    }));

  it('keeps every route below status 500, with any byte of its text changed', async () => {
    const texts = Object.entries(row).flatMap(([column, stored]) =>
      typeof stored === 'string' && stored !== '' ? [[column, Buffer.from(stored)] as const] : [],
    );
    const change = fc.record({
      text: fc.constantFrom(...texts),
      at: fc.nat(),
      // PostgreSQL accepts only valid UTF-8.
      mask: fc.integer({ min: 1, max: kind === 'postgres' ? 0x1f : 0xff }),
      asked: fc.array(fc.constantFrom(...targets()), { maxLength: 10 }),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ text: [column, stored], at, mask, asked }) => {
        const bytes = Buffer.from(stored);
        const place = at % bytes.length;
        bytes[place] = (bytes[place] as number) ^ mask;
        fc.pre(bytes[place] !== 0);
        await spoilt(column, bytes, async () => {
          await askAll();
          for (const target of asked) await askBelow500(...target);
        });
      }),
      { numRuns: CASES },
    );
  });
});

const textSql = (bytes: Uint8Array, kind: StoreKind): string => {
  const hex = Buffer.from(bytes).toString('hex');
  return kind === 'sqlite' ? `CAST(x'${hex}' AS TEXT)` : `convert_from('\\x${hex}', 'UTF8')`;
};

const isFactLineOf =
  (id: string) =>
  (line: string): boolean => {
    const { type, id: named } = JSON.parse(line);
    return type === 'fact' && named === id;
  };
