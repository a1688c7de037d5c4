import type { FactReader, HookCaller, StoredFact } from '../../kernel/plugin-api.ts';
import { auditDescribeKeys, type SigningKey } from './audit-api.ts';
import { type FactEntryJson, factEntryJson } from './audit-entry-json.ts';
import type { RecordedEntry } from './audit-entry-row.ts';

/** Adds to entries what the caller may know about their facts and about the keys that signed them. */
export const readFactEntries = async (
  entries: readonly RecordedEntry[],
  reader: FactReader,
  hooks: HookCaller,
): Promise<FactEntryJson[]> => {
  const facts = await visibleFacts(entries, reader);
  const keys = await signingKeys(entries, reader, hooks);
  return entries.map((entry) => {
    const fact = entry.factId === null ? undefined : facts.get(entry.factId);
    const key = entry.attestedKeyId === null ? undefined : keys.get(entry.attestedKeyId);
    return factEntryJson(entry, fact, key);
  });
};

/** A key for the log alone, without `read`, sees who wrote and when, and no fact. */
const visibleFacts = async (
  entries: readonly RecordedEntry[],
  reader: FactReader,
): Promise<ReadonlyMap<string, StoredFact>> => {
  const ids = distinct(entries.map(({ factId }) => factId));
  if (ids.length === 0 || !reader.caller.permissions.has('read')) return new Map();
  const visible = await reader.visible(ids);
  return new Map(visible.map((fact) => [fact.id, fact]));
};

const signingKeys = async (
  entries: readonly RecordedEntry[],
  { caller, snapshot }: FactReader,
  hooks: HookCaller,
): Promise<ReadonlyMap<string, SigningKey>> => {
  const keyIds = distinct(entries.map(({ attestedKeyId }) => attestedKeyId));
  if (keyIds.length === 0) return new Map();
  const described = await hooks.collect(auditDescribeKeys, { keyIds, tenantId: caller.tenantId, snapshot });
  return new Map(described.flat().map((key) => [key.id, key]));
};

const distinct = (ids: readonly (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))];
