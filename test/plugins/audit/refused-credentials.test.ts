import { expect } from 'chai';
import { REJECTIONS_PER_MINUTE } from '../../../kernel/internal-api.ts';
import { ServiceError, sha256Hex } from '../../../kernel/plugin-api.ts';
import type { AuditEntry } from '../../../plugins/audit/audit-api.ts';
import {
  MOST_WAITING,
  REFUSALS_PER_ADDRESS,
  RETRY_MS,
  RefusedCredentials,
} from '../../../plugins/audit/refused-credentials.ts';
import { createManualClock, type ManualClock } from '../../fakes/manual-clock.ts';
import { createMemoryLogger, type LogLine } from '../../fakes/memory-logger.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { TRUSTS_TEST } from '../../kit/next-client.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

forEachStore('refused credentials', () => {
  let node: TestNode;
  let auditor: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['keys', 'audit', 'facts'], node: TRUSTS_TEST });
    auditor = await node.addKey({ entityUri: 'agent:auditor', permissions: ['audit.read', 'read'] });
  });
  afterEach(() => node.stop());

  const guess = (credential: string, address: string, path = '/v1/me') =>
    node.request('GET', path, { headers: { Authorization: credential, 'X-Forwarded-For': address } });
  const entries = async () => {
    const page = '/v1/auth/audit?event_type=credential_refused&limit=1000';
    return (await node.request('GET', page, { key: auditor })).body.entries;
  };
  const count = async (n: number): Promise<void> => comesTrue(async () => (await entries()).length >= n);

  it('are logged with digest, address, route and code, but without the credential', async () => {
    const token = 'tok_of-nobody-0123456789abcdef0123456789';
    expect((await guess(`Bearer ${token}`, '203.0.113.7', '/v1/facts')).status).to.equal(401);
    await count(1);
    const [entry] = await entries();
    expect(entry).to.include({ entity_uri: '', tenant_id: 'default', fact_id: null });
    expect(entry.detail).to.deep.equal({
      address: '203.0.113.7',
      method: 'GET',
      route: '/v1/facts',
      code: 'authentication',
      credential_sha256: sha256Hex(token),
    });
    const all = await node.request('GET', '/v1/admin/audit?limit=1000', { key: auditor });
    expect(all.text).not.to.contain(token);
    expect(JSON.stringify(node.logLines)).not.to.contain(token);
  });

  it('leave no entry if the credential is missing or valid, or the route is open', async () => {
    await node.request('GET', '/v1/facts');
    await guess('Bearer nobody', '203.0.113.7', '/healthz');
    await node.request('GET', '/v1/audit', { key: auditor });
    await guess('Basic bm9ib2R5', '203.0.113.7', '/v1/no-such-route');
    await count(1);
    expect((await entries()).map(({ detail }: { detail: { route: string | null } }) => detail.route)).to.deep.equal([
      null,
    ]);
  });

  it('are recorded without an entity, so that callers who see only their own entries do not see them', async () => {
    const reader = await node.addKey({ entityUri: 'agent:r', permissions: ['read'] });
    await guess('Bearer nobody', '203.0.113.7');
    await count(1);
    const own = await node.request('GET', '/v1/audit?event_type=credential_refused', { key: reader });
    expect([own.body.total, own.body.entries]).to.deep.equal([0, []]);
  });

  it('from one address get at most ten entries a minute, and an entry in the next minute counts the omitted ones', async () => {
    // The requests run in parallel, because a sequence would need its delays, which the manual clock never ends.
    const sent = Array.from({ length: REFUSALS_PER_ADDRESS + 5 }, (_, n) => guess(`Bearer guess-${n}`, '2001:db8::1'));
    await Promise.all(sent);
    await guess('Bearer other', '2001:db8::ffff:1');
    await guess('Bearer elsewhere', '203.0.113.7');
    await count(REFUSALS_PER_ADDRESS + 1);
    expect(await entries()).to.have.length(REFUSALS_PER_ADDRESS + 1);
    await node.clock.advance(60_000);
    await guess('Bearer late', '2001:db8::2');
    await count(REFUSALS_PER_ADDRESS + 2);
    expect((await entries()).at(-1).detail).to.include({ address: '2001:db8::2', suppressed: 6 });
  });

  it('from many addresses get at most sixty entries a minute', async () => {
    for (let at = 0; at < REJECTIONS_PER_MINUTE * 2; at += 1) await guess(`Bearer guess-${at}`, `203.0.113.${at}`);
    await count(REJECTIONS_PER_MINUTE);
    expect(await entries()).to.have.length(REJECTIONS_PER_MINUTE);
    await node.clock.advance(60_000);
    await guess('Bearer late', '198.51.100.1');
    await count(REJECTIONS_PER_MINUTE + 1);
    expect((await entries()).at(-1).detail).to.include({ suppressed: REJECTIONS_PER_MINUTE });
  });
});

describe('refused credentials that cannot be stored', () => {
  let clock: ManualClock;
  let lines: LogLine[];
  let stored: string[][];
  let tried: (readonly AuditEntry[])[];
  let isFailing: boolean;
  let refused: RefusedCredentials;
  beforeEach(() => {
    clock = createManualClock();
    lines = [];
    stored = [];
    tried = [];
    isFailing = true;
    refused = new RefusedCredentials({
      clock,
      log: createMemoryLogger(lines),
      add: async (entries) => {
        tried.push(entries);
        if (isFailing) throw new ServiceError('unavailable', 'the store is away');
        stored.push(entries.map(({ detail }) => String(detail?.['address'])));
      },
    });
  });

  const guess = (address: string): Promise<void> =>
    refused.record({
      method: 'GET',
      route: '/v1/me',
      access: 'key',
      address,
      network: address,
      code: 'authentication',
      presentsCredential: true,
      credentialDigest: () => 'digest',
    });
  const messages = () => lines.map(({ level, message, fields }) => [level, message, fields['entries']]);

  it('are stored with the next ones, as the same list, and logged as failing once', async () => {
    await guess('a');
    await guess('b');
    isFailing = false;
    await guess('c');
    expect(stored).to.deep.equal([['a'], ['b', 'c']]);
    expect(tried[1], 'a store recognises a list that it has committed').to.equal(tried[0]);
    expect(messages()).to.deep.equal([
      ['error', 'refused credentials could not be recorded yet; it is tried again', 1],
    ]);
    expect(clock.pending).to.equal(0);
  });

  it('are stored a second later, when no more come', async () => {
    await guess('a');
    isFailing = false;
    await clock.advance(RETRY_MS);
    await comesTrue(async () => stored.length === 1);
    expect([stored, clock.pending]).to.deep.equal([[['a']], 0]);
  });

  it('are stored when the node stops, which counts those that it cannot store', async () => {
    await guess('a');
    await refused.end();
    expect(messages().at(-1)).to.deep.equal(['error', 'refused credentials were not recorded before the stop', 1]);
    expect(clock.pending).to.equal(0);
    isFailing = false;
    await refused.end();
    expect(stored).to.deep.equal([['a']]);
  });

  it('take up no more memory than a thousand entries; those left out are counted', async () => {
    const minutes = Math.ceil((MOST_WAITING + 1) / REJECTIONS_PER_MINUTE);
    for (let minute = 0; minute < minutes; minute += 1) {
      for (let at = 0; at < REJECTIONS_PER_MINUTE; at += 1) await guess(`${minute}-${at}`);
      await clock.advance(60_000);
    }
    isFailing = false;
    await refused.end();
    expect(stored.flat()).to.have.length(MOST_WAITING);
    const leftOut = minutes * REJECTIONS_PER_MINUTE - MOST_WAITING;
    expect(messages().at(-1)).to.deep.equal(['error', 'refused credentials were left out of the audit log', leftOut]);
  });
});
