import { isDeepStrictEqual } from 'node:util';
import type { ServerProcess } from '../processes/child-process.ts';
import { fetchJson } from './fetch-json.ts';

/** What two layouts of one store need not agree on: sealed cursors, and the names of entries that have no row. */
const withoutNames = (key: string, value: unknown): unknown => {
  if (key === 'cursor') return typeof value;
  const isEntry = typeof value === 'object' && value !== null && 'event_type' in value && 'id' in value;
  return isEntry ? { ...value, id: typeof value.id } : value;
};

const normal = (body: unknown): unknown => JSON.parse(JSON.stringify(body, withoutNames));

/** The paths that two nodes answer differently. `paths` are those of the first node, `others` those of the second. */
export const differingPaths = async (
  node: ServerProcess,
  paths: readonly string[],
  other: ServerProcess,
  others: readonly string[],
): Promise<string[]> => {
  const differing: string[] = [];
  for (const [at, path] of paths.entries()) {
    const bodies = await Promise.all([fetchJson(node, path), fetchJson(other, others[at] ?? path)]);
    const [one, two] = bodies.map(normal);
    if (!isDeepStrictEqual(one, two)) differing.push(path);
  }
  return differing;
};
