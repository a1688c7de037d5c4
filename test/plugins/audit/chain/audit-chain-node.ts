import { expect } from 'chai';
import { type Principal, sha256Hex } from '../../../../kernel/plugin-api.ts';
import { ADMIN_ACTION, Audit, AuditLog, type VerifiedEntries } from '../../../../plugins/audit/audit-api.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { createPrincipal } from '../../../kit/create-principal.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../../kit/start-test-node.ts';

const LOOKS_PER_STEP = 5;

const PLUGINS = ['keys', 'audit', 'facts', 'node-info'];

export const startAuditNode = (options: TestNodeOptions = {}): Promise<TestNode> =>
  startTestNode({ plugins: PLUGINS, ...options });

export const auditorOf = (tenantId = 'default'): Principal =>
  createPrincipal({ entityUri: 'agent:auditor', permissions: new Set(['audit.read', 'read']), tenantId });

/** Records entries with these names, each in its own transaction. */
export const recordActs = async (node: TestNode, names: readonly string[], tenantId = 'default'): Promise<void> => {
  const log = node.kernel.get(AuditLog);
  for (const name of names) {
    await log.record({ event: ADMIN_ACTION, tenantId, entityUri: 'agent:ops', detail: { name } });
  }
};

export const assertFact = (node: TestNode, name: string, tenantId = 'default') =>
  node.facts.append(
    {
      entity: `user:${name}`,
      relation: 'memory:n',
      value: { type: 'string', v: name, interpretAs: 'content' },
      source: 'agent:s',
      confidence: 1,
      scope: 'local',
    },
    createPrincipal({ entityUri: 'agent:w', tenantId }),
  );

export const verified = (node: TestNode, tenantId = 'default', afterSeq = 0): Promise<VerifiedEntries> =>
  node.kernel.get(Audit).verify(auditorOf(tenantId), afterSeq);

/** Waits until the background task has signed a checkpoint of the newest entry. */
export const checkpointed = async (node: TestNode, tenantId = 'default'): Promise<void> => {
  let looks = 0;
  const covers = async (): Promise<boolean> => {
    const { checkpoint, head } = await verified(node, tenantId);
    if (checkpoint?.['covered_seq'] === head?.number) return true;
    // Leases expire by the same clock, so the clock advances slowly enough for a busy store.
    if (looks % LOOKS_PER_STEP === 0) await node.clock.advance(10_000);
    looks += 1;
    return false;
  };
  await comesTrue(covers);
};

export const documentedDetailHash = (salt: unknown, detail: unknown): string =>
  `sha256:${sha256Hex(JSON.stringify([salt, detail]))}`;

/** Computes the hash of an entry in `GET /v1/admin/audit` by the documented rule. */
export const documentedHash = (
  { detail, detail_salt: salt, ...entry }: Readonly<Record<string, unknown>>,
  { chainSeq, previous }: { readonly chainSeq: number; readonly previous: string | null },
): string => {
  const hash = detail === null ? null : documentedDetailHash(salt, detail);
  const members: Record<string, unknown> = {
    ...entry,
    detail_hash: hash,
    chain_seq: chainSeq,
    previous_hash: previous,
  };
  const sorted = Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `sha256:${sha256Hex(JSON.stringify(sorted))}`;
};

/** Returns all entries of `GET /v1/admin/audit` that are not derived from facts. */
export const entriesOf = async (node: TestNode, key: string): Promise<Readonly<Record<string, unknown>>[]> => {
  const reply = await node.request('GET', '/v1/admin/audit?limit=1000', { key });
  expect(reply.status).to.equal(200);
  return reply.body.entries.filter(({ event_type }: { event_type: string }) => event_type !== 'fact_write');
};
