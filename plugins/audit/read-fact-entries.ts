import { readVisiblePage, type VisiblePage } from '../../kernel/internal-api.ts';
import type { FactReader, HookCaller } from '../../kernel/plugin-api.ts';
import { auditDescribeKeys, type EntryWithFact, type RecordedEntry, type SigningKey } from './audit-api.ts';

/**
 * Adds to entries the facts and signing keys that the caller may see. Ends early if the values of the facts are long,
 * but never before the second entry.
 */
export const readFactEntries = async (
  entries: readonly RecordedEntry[],
  reader: FactReader,
  hooks: HookCaller,
): Promise<EntryWithFact[]> => {
  const { facts, beyond } = await visibleFacts(entries, reader);
  const end = entries.findIndex(({ factId }) => factId !== null && beyond.has(factId));
  const within = end < 0 ? entries : entries.slice(0, end);
  const keys = await signingKeys(within, reader, hooks);
  const byId = new Map(facts.map((fact) => [fact.id, fact]));
  return within.map((entry) => {
    const fact = entry.factId === null ? undefined : byId.get(entry.factId);
    const signingKey = entry.attestedKeyId === null ? undefined : keys.get(entry.attestedKeyId);
    return { entry, fact, signingKey };
  });
};

/**
 * Returns the facts that the caller may see. A caller with `audit.read` but without `read` sees entries, but no facts.
 */
const visibleFacts = async (entries: readonly RecordedEntry[], reader: FactReader): Promise<VisiblePage> => {
  const mayRead = reader.caller.permissions.has('read');
  return readVisiblePage(reader, mayRead ? distinct(entries.map(({ factId }) => factId)) : [], 'newest');
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
