import { expect } from 'chai';
import fc from 'fast-check';
import { sealRow, sealText } from '../../../kernel/internal-api.ts';
import { type SealedColumns, sealJson } from '../../../kernel/plugin-api.ts';
import { StoreVerification } from '../../../plugins/backup/backup-api.ts';
import { SEALED as CARDS } from '../../../plugins/cards/card-store.ts';
import { SEALED as REPLIES } from '../../../plugins/facts/idempotency.ts';
import { SEALED_PARKED as PARKED } from '../../../plugins/federation/ingest/ingest-tables.ts';
import { SEALED as PEERS } from '../../../plugins/federation/peerings/peer-row.ts';
import { SEALED as PEER_EVENTS } from '../../../plugins/federation/peerings/stored-federation-log.ts';
import { SEALED as TOKENS } from '../../../plugins/instructions/audit-tokens.ts';
import { SEALED as JOBS } from '../../../plugins/jobs/job-row.ts';
import { SEALED as RULES } from '../../../plugins/namespaces/rule-row.ts';
import { SEALED as SUBSCRIPTIONS } from '../../../plugins/subscriptions/subscription-record.ts';
import { SEALED as ERASURES } from '../../../plugins/tombstones/erasure/erasure-row.ts';
import { TenantTransfer } from '../../../plugins/transfer/transfer-api.ts';
import { SEALED as RUNS_OF_TASKS } from '../../../plugins/upkeep/run-store.ts';
import { FactStore, type Row } from '../../../ports/ports.ts';
import { ALL_PERMISSIONS } from '../../kit/all-permissions.ts';
import { takeUndeclaredReplies } from '../../kit/check-replies.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { READING_ROUTES } from '../../plugins/gardens/reading-routes.ts';

const CASES = Math.ceil(RUNS / 10);

const TENANT = { tenant_id: 'default' };

/** Rows that only peers, agents and webhooks make. */
const FOREIGN: readonly (readonly [SealedColumns, Row])[] = [
  [
    PEERS,
    {
      ...TENANT,
      peer_id: 'peer-1',
      node_id: 'svc://beta.example',
      node_digest: 'b'.repeat(64),
      status: 'active',
      public_keys: sealJson([]),
      grant_version: 1,
      takes_any_key: 0,
      created_ms: 1,
    },
  ],
  [PEER_EVENTS, { ...TENANT, id: 'event-1', event_type: 'peer_approved', detail: sealJson({ a: 1 }), ts_ms: 1 }],
  [
    PARKED,
    {
      ...TENANT,
      peer_id: 'peer-1',
      scope: 'public',
      digest: 'd'.repeat(64),
      reason: 'hlc_skew',
      due_ms: 1,
      attempts: 0,
      parked_ms: 1,
      bytes: 2,
      fact: sealText('{}'),
    },
  ],
  [
    TOKENS,
    {
      ...TENANT,
      digest: 'e'.repeat(64),
      entity_uri: 'agent:a',
      fact_id: 'none',
      chunks: sealJson(['deploy']),
      issued_ms: 1,
      is_used: 0,
    },
  ],
  [
    SUBSCRIPTIONS,
    {
      ...TENANT,
      subscription_id: 'subscription-1',
      owner_uri: 'agent:test',
      holder_uri: 'agent:test',
      token_id: 'none',
      target: 'scope:company',
      target_type: 'scope',
      target_key: 's:company',
      match_key: 's:company',
      webhook_url: 'x',
      webhook_host: 'hook.example',
      content_digest: 'c',
      secret: 'x',
      former_secrets: sealJson([{ secret: 'x', untilMs: 4_000_000_000_000 }]),
      former_until_ms: 4_000_000_000_000,
      status: 'active',
      created_ms: 1,
      failures: 0,
    },
  ],
];

const ALL: readonly SealedColumns[] = [
  CARDS,
  REPLIES,
  JOBS,
  RULES,
  ERASURES,
  RUNS_OF_TASKS,
  ...FOREIGN.map(([one]) => one),
];

forEachStore('One row of any table is damaged (I20)', (kind) => {
  let node: TestNode;
  let key: string;
  let bob: string;
  const store = () => node.kernel.get(FactStore);
  const rowsOf = async (table: string): Promise<Row[]> => (await store().table(table).select()) as Row[];

  const ask = async (method: string, path: string, body?: unknown, headers = {}) => {
    const reply = await node.request(method, path, { key, headers, ...(body === undefined ? {} : { body }) });
    // A damaged word of a list, such as the name of a scope, is shown as it is.
    const isUndeclared = takeUndeclaredReplies().length > 0;
    if (!isUndeclared) expect(reply.status, `${method} ${path} ${reply.text}`).to.be.below(500);
    return reply;
  };
  const fact = (entity: string, v = 'a zeppelin') => ({
    entity,
    relation: 'memory:home',
    value: { type: 'string', v },
    source: 'agent:s',
    scope: 'company',
  });
  const askAll = async (): Promise<void> => {
    const seen = { factId: bob, cid: `sha256:${'0'.repeat(64)}`, derivedId: bob };
    for (const [route, reads] of Object.entries(READING_ROUTES)) {
      if (typeof reads === 'string') continue;
      const [target, body] = reads(seen)[0] ?? [];
      if (target !== undefined) await ask(route.split(' ')[0] as string, target, body);
    }
    for (const table of [JOBS, SUBSCRIPTIONS]) {
      const [id = ''] = (await rowsOf(table.table)).map((row) => row[table.key[1] as string]);
      await ask('GET', `/v1/${table === JOBS ? 'jobs' : 'subscriptions'}/${id}`);
    }
    await ask('GET', '/v1/federation/peers/peer-1/lag');
    await ask('GET', '/v1/cards/user%3Abob?scope=company');
    await ask('POST', '/v1/facts', fact('user:once'), { 'Idempotency-Key': 'once' });
    await ask('POST', '/v1/facts', fact('user:new', String(written++)));
  };
  let written = 0;

  before(async () => {
    node = await startTestNode({ env: { SVC_TOMBSTONES_ENABLED: 'true', SVC_NAMESPACES_ENABLED: 'true' } });
    key = await node.addKey({ permissions: ALL_PERMISSIONS });
    bob = (await ask('POST', '/v1/facts', fact('user:bob'))).body.id;
    await ask('POST', '/v1/facts', fact('user:once'), { 'Idempotency-Key': 'once' });
    await ask('POST', '/v1/facts', fact('user:gone'));
    await ask('PUT', '/v1/namespaces', { pattern: 'user:owned/*', owners: ['agent:owner'] });
    await ask('GET', '/v1/cards/user%3Abob?scope=company&refresh=true');
    await ask('POST', '/v1/upkeep/lint/run', {});
    const { id } = (await ask('POST', '/v1/tombstones', { entity_uri: 'user:gone' })).body;
    await ask('POST', `/v1/tombstones/${id}/erase`, { confirm: 'user:gone' });
    await comesTrue(async () => {
      await node.clock.advance(2_000);
      return (await rowsOf(RUNS_OF_TASKS.table)).some((row) =>
        RUNS_OF_TASKS.columns.some((name) => row[name] !== null),
      );
    });
    await store().write('default', async (transaction) => {
      for (const [sealed, row] of FOREIGN) {
        await transaction.insertRows(sealed.table, [sealed.plain === undefined ? row : sealRow(sealed, row)]);
      }
    });
  });
  after(() => node.stop());

  const change = async (table: string, row: Row, column: string, text: string): Promise<boolean> => {
    const scalars = Object.entries(row).filter(([, one]) => one === null || typeof one !== 'object');
    try {
      const [changed] = [
        await store()
          .table(table)
          .where(Object.fromEntries(scalars))
          .update({ [column]: text }),
      ];
      return Number(changed) === 1;
    } catch {
      // The database refuses the text itself, for example a second row with the same key.
      return false;
    }
  };
  const flipped = (text: string, at: number, mask: number): string => {
    const place = at % text.length;
    const code = (text.charCodeAt(place) & 0x7f) ^ mask;
    return `${text.slice(0, place)}${String.fromCharCode(code === 0 ? 1 : code)}${text.slice(place + 1)}`;
  };

  for (const sealed of ALL) {
    it(`leaves out only that row of ${sealed.table}, and is reported by "verify" and a metric`, async () => {
      const rows = await rowsOf(sealed.table);
      const place = (row: Row): string | undefined => sealed.columns.find((name) => typeof row[name] === 'string');
      const row = rows.find((one) => place(one) !== undefined) as Row;
      expect(row, `a row of ${sealed.table}`).to.not.equal(undefined);
      const column = place(row) as string;
      const stored = String(row[column]);
      const damaged = flipped(stored, stored.length - 1, 1);
      expect(await change(sealed.table, row, column, damaged)).to.equal(true);
      try {
        const { findings } = await node.kernel.get(StoreVerification).run();
        expect(findings.map(({ message }) => message).join('\n')).to.include(
          `the column ${column} of ${sealed.table} is damaged`,
        );
        await askAll();
      } finally {
        await change(sealed.table, { ...row, [column]: damaged }, column, stored);
      }
    });
  }

  it('counts damaged rows in a metric', async () => {
    const { text } = await ask('GET', '/v1/metrics');
    for (const { table } of [JOBS, RULES, PEERS])
      expect(text).to.match(new RegExp(`rows_damaged_total\\{table="${table}"\\} 1`));
  });

  it('refuses writes below a namespace whose owners cannot be read', async () => {
    const [row] = (await rowsOf(RULES.table)) as [Row];
    const owners = String(row['owners']);
    expect(await change(RULES.table, row, 'owners', `${owners}.`)).to.equal(true);
    // The cache of rules ends with a change of any rule.
    const { status: set } = await ask('PUT', '/v1/namespaces', { pattern: 'user:shared/*', owners: ['agent:owner'] });
    const { status } = await ask('POST', '/v1/facts', fact('user:owned/one'));
    await change(RULES.table, { ...row, owners: `${owners}.` }, 'owners', owners);
    expect([set, status]).to.deep.equal([200, 403]);
  });

  it('aborts an export that would otherwise omit a namespace rule, and so unprotect it after import', async () => {
    const [row] = (await rowsOf(RULES.table)) as [Row];
    const owners = String(row['owners']);
    expect(await change(RULES.table, row, 'owners', `${owners}.`)).to.equal(true);
    const exported = await rejection(node.kernel.get(TenantTransfer).export('default', async () => {}));
    await change(RULES.table, { ...row, owners: `${owners}.` }, 'owners', owners);
    expect(exported).to.include({ code: 'conflict' }).and.to.have.property('message').that.includes(RULES.table);
  });

  it('keeps every route below status 500, with any character of its text changed', async () => {
    const tables = (await store().tables()).filter((table) => table !== 'facts' && table !== 'schema_migrations');
    const texts: [table: string, row: Row, column: string][] = [];
    for (const table of tables) {
      for (const row of (await rowsOf(table)).slice(0, 3)) {
        for (const [column, stored] of Object.entries(row)) {
          // PostgreSQL returns large numbers as texts.
          if (typeof stored === 'string' && !/^\d*$/.test(stored)) texts.push([table, row, column]);
        }
      }
    }
    expect(texts.length).to.be.above(100);
    const flip = fc.record({ text: fc.constantFrom(...texts), at: fc.nat(), mask: fc.integer({ min: 1, max: 0x1f }) });
    await fc.assert(
      fc.asyncProperty(flip, async ({ text: [table, row, column], at, mask }) => {
        const damaged = flipped(String(row[column]), at, mask);
        if (!(await change(table, row, column, damaged))) return;
        await askAll();
        await change(table, { ...row, [column]: damaged }, column, String(row[column]));
      }),
      { numRuns: CASES, seed: kind === 'sqlite' ? 29 : 30 },
    );
  });
});
