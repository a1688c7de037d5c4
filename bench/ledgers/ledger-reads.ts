import { loaderEntity } from '../load/load-requests.ts';
import type { ServerProcess } from '../processes/child-process.ts';
import { fetchJson } from './fetch-json.ts';

/** The number of different facts and entities that the reads request in turn. */
const SUBJECTS = 200;
/** The number of pages that the bench skips before it measures the middle of a list. */
const PAGES_BEFORE = 10;

export interface LedgerRead {
  readonly name: string;
  /** Sends the read with the key of the second writer, who may read but is no administrator. */
  readonly isOwn?: true;
  readonly paths: readonly string[];
}

export interface ReadSubjects {
  readonly factIds: readonly string[];
  readonly entities: readonly string[];
  /** The number and moment of an entry in the middle of the log. */
  readonly middle: { readonly seq: number; readonly ts: string };
  /** The entity URI of the second writer. */
  readonly second: string;
}

interface LogPage {
  readonly total: number;
  readonly entries: readonly { readonly seq: number; readonly ts: string; readonly fact_id: string | null }[];
}

/** Picks the subjects of the reads from the log of a node that was loaded with this many entities. */
export const pickSubjects = async (node: ServerProcess, entities: number, second: string): Promise<ReadSubjects> => {
  const { total } = await fetchJson<LogPage>(node, '/v1/auth/audit?limit=1');
  const log = await fetchJson<LogPage>(node, `/v1/auth/audit?limit=1000&cursor=${Math.floor(total / 2)}`);
  const [middle] = log.entries;
  if (middle === undefined) throw new Error('the audit log is too short to have a middle');
  const factIds = log.entries.flatMap(({ fact_id: id }) => (id === null ? [] : [id])).slice(0, SUBJECTS);
  const step = Math.max(1, Math.floor(entities / SUBJECTS));
  const names = Array.from({ length: SUBJECTS }, (_, at) => loaderEntity((at * step) % entities));
  return { factIds, entities: names, middle, second };
};

/** Returns the reads, with cursors of this node, because no node accepts cursors of another store. */
export const ledgerReads = async (node: ServerProcess, subjects: ReadSubjects): Promise<readonly LedgerRead[]> => {
  const { factIds, entities, middle, second } = subjects;
  const since = encodeURIComponent(middle.ts);
  const pageOf = (list: string): Promise<string> => walk(node, list);
  return [
    { name: 'facts of an entity', paths: entities.map((entity) => `/v1/facts?entity=${entity}`) },
    { name: 'fact by id', paths: factIds.map((id) => `/v1/facts/${id}`) },
    { name: 'audit of a fact', paths: factIds.map((id) => `/v1/audit/facts/${id}`) },
    { name: 'audit, first page', paths: ['/v1/audit?limit=50'] },
    { name: `audit, page ${PAGES_BEFORE}`, paths: [await pageOf('/v1/audit?limit=50')] },
    { name: 'audit, own', isOwn: true, paths: ['/v1/audit?limit=50'] },
    { name: 'audit, of an entity_uri', paths: [`/v1/audit?limit=50&entity_uri=${second}`] },
    { name: 'audit, of a source', paths: ['/v1/audit?limit=50&source=agent:load'] },
    { name: 'audit, not of facts', paths: ['/v1/audit?limit=50&event_type=admin_action'] },
    { name: 'audit, since the middle', paths: [`/v1/audit?limit=50&since=${since}`] },
    { name: 'audit, until the middle', paths: [`/v1/audit?limit=50&until=${since}`] },
    { name: 'log, first page', paths: ['/v1/auth/audit'] },
    { name: 'log, from the middle', paths: [`/v1/auth/audit?cursor=${middle.seq}`] },
    { name: 'log, since the middle', paths: [`/v1/auth/audit?since=${since}`] },
    { name: 'log, not of facts', paths: ['/v1/auth/audit?event_type=admin_action'] },
    { name: 'log, of a principal', paths: [`/v1/auth/audit?principal=${second}`] },
    { name: 'billing, first page', paths: ['/v1/admin/billing/events'] },
    { name: `billing, page ${PAGES_BEFORE}`, paths: [await pageOf('/v1/admin/billing/events?limit=200')] },
    { name: 'billing, of an entity_uri', paths: [`/v1/admin/billing/events?entity_uri=${second}`] },
    { name: 'billing, since the middle', paths: [`/v1/admin/billing/events?since=${since}`] },
    { name: 'billing, of gardens', paths: ['/v1/admin/billing/events?event_type=garden_created'] },
  ];
};

/** Returns the path of a later page. */
const walk = async (node: ServerProcess, list: string): Promise<string> => {
  let path = list;
  for (let page = 0; page < PAGES_BEFORE; page += 1) {
    const { cursor } = await fetchJson<{ readonly cursor: string | null }>(node, path);
    if (cursor === null) return path;
    path = `${list}&cursor=${encodeURIComponent(cursor)}`;
  }
  return path;
};
