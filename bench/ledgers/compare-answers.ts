import { isDeepStrictEqual } from 'node:util';
import type { ServerProcess } from '../processes/child-process.ts';
import { fetchJson } from './fetch-json.ts';

/**
 * Lists of this path sort facts and entries of one instant by identifier, so their order may differ between two nodes.
 */
const ORDERED_BY_ID = '/v1/audit?';

interface Entry {
  readonly ts: string;
}

interface Page {
  readonly entries?: readonly Entry[];
  readonly events?: readonly Entry[];
  readonly cursor?: string | null;
  readonly next_cursor?: number | null;
}

/**
 * Removes the parts in which two layouts of one store may differ: sealed cursors, and identifiers of entries without a
 * row.
 */
const withoutNames = (key: string, value: unknown): unknown => {
  if (key === 'cursor') return typeof value;
  const isEntry = typeof value === 'object' && value !== null && 'event_type' in value && 'id' in value;
  return isEntry ? { ...value, id: typeof value.id } : value;
};

const spell = (value: unknown): string => JSON.stringify(value, withoutNames);

/**
 * Returns an answer without the parts that may differ between two nodes. `firstDifference` checks which entries of one
 * instant a page has.
 */
const normal = (path: string, body: Page): unknown => {
  if (!path.startsWith(ORDERED_BY_ID)) return JSON.parse(spell(body));
  return { ...body, cursor: typeof body.cursor, entries: body.entries?.map(({ ts }) => ts) };
};

/** Returns the paths that two nodes answer differently. `paths` belong to the first node, `others` to the second. */
export const differingPaths = async (
  node: ServerProcess,
  paths: readonly string[],
  other: ServerProcess,
  others: readonly string[],
): Promise<string[]> => {
  const differing: string[] = [];
  for (const [at, path] of paths.entries()) {
    const [one, two] = await Promise.all([fetchJson<Page>(node, path), fetchJson<Page>(other, others[at] ?? path)]);
    if (!isDeepStrictEqual(normal(path, one), normal(path, two))) differing.push(path);
  }
  return differing;
};

/** Yields the entries of a list, one instant at a time and in a fixed order within it. */
async function* instants(node: ServerProcess, list: string): AsyncGenerator<readonly string[]> {
  let [ts, lines]: [string, string[]] = ['', []];
  for (let path: string | null = list; path !== null; ) {
    const page: Page = await fetchJson<Page>(node, path);
    for (const entry of page.entries ?? page.events ?? []) {
      if (entry.ts !== ts && lines.length > 0) {
        yield lines.sort();
        lines = [];
      }
      ts = entry.ts;
      lines.push(spell(entry));
    }
    const next: string | number | null = page.cursor ?? page.next_cursor ?? null;
    path = next === null ? null : `${list}&cursor=${encodeURIComponent(next)}`;
  }
  if (lines.length > 0) yield lines.sort();
}

export interface WholeList {
  readonly entries: number;
  /** The first instant at which two nodes differ; null when they agree. */
  readonly difference: string | null;
}

/** Compares a whole list of two nodes, page by page. The path of the list must have a query. */
export const compareLists = async (node: ServerProcess, other: ServerProcess, list: string): Promise<WholeList> => {
  const [ours, theirs] = [instants(node, list), instants(other, list)];
  for (let entries = 0; ; ) {
    const [{ value: one }, { value: two }] = await Promise.all([ours.next(), theirs.next()]);
    if (one === undefined && two === undefined) return { entries, difference: null };
    if (!isDeepStrictEqual(one, two)) return { entries, difference: `${one?.[0]} against ${two?.[0]}` };
    entries += one?.length ?? 0;
  }
};
