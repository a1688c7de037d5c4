import type { NodeProcess } from '../kit/node-processes.ts';
import type { DerivedIds } from './check-state.ts';

const MOST_ENTRIES = 1_000;

interface AuditPage {
  readonly entries: readonly { readonly seq: number; readonly fact_id: string }[];
  readonly next_cursor: number | null;
}

interface BillingPage {
  readonly events: readonly { readonly fact_id: string }[];
  readonly cursor: string | null;
}

const get = async <T>(node: NodeProcess, path: string): Promise<T> => {
  const { status, body } = await node.request('GET', path);
  if (status !== 200) throw new Error(`GET ${path} was answered with ${status}: ${JSON.stringify(body)}`);
  return body as T;
};

/** Returns the facts in the audit log of the node, oldest first. */
const readAudited = async (node: NodeProcess): Promise<string[]> => {
  const ids: string[] = [];
  for (let cursor: number | null = 0; cursor !== null; ) {
    const path = `/v1/auth/audit?event_type=fact_write&limit=${MOST_ENTRIES}&cursor=${cursor}`;
    const page: AuditPage = await get<AuditPage>(node, path);
    ids.push(...page.entries.map((entry) => entry.fact_id));
    cursor = page.next_cursor;
  }
  return ids;
};

/** Returns the facts in the billing events of the node, newest first. */
const readBilled = async (node: NodeProcess): Promise<string[]> => {
  const list = `/v1/admin/billing/events?event_type=fact_written&limit=${MOST_ENTRIES}`;
  const ids: string[] = [];
  for (let path: string | null = list; path !== null; ) {
    const page: BillingPage = await get<BillingPage>(node, path);
    ids.push(...page.events.map((event) => event.fact_id));
    path = page.cursor === null ? null : `${list}&cursor=${encodeURIComponent(page.cursor)}`;
  }
  return ids;
};

/** Returns the lists that a node derives from its facts, read page by page. */
export const readDerived = async (node: NodeProcess): Promise<DerivedIds> => ({
  audited: await readAudited(node),
  billed: await readBilled(node),
});
