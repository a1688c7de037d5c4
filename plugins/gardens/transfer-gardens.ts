import { ownedBy } from '../../kernel/internal-api.ts';
import { type PluginTables, readEntityUri, SCOPES, ServiceError, type ServiceNames } from '../../kernel/plugin-api.ts';
import { principalKey } from '../keys/keys-api.ts';
import { rowPages, type TransferLine, type TransferSection } from '../transfer/transfer-api.ts';
import { SLUG } from './garden-name.ts';
import { type Garden, gardenFromRow, type Member, memberFromRow, ROLES, rowOfGarden } from './garden-row.ts';
import { insertMembers } from './garden-store.ts';
import { GARDENS, MEMBERS, QUARANTINED } from './gardens-migrations.ts';
import { QUARANTINE_STATUSES, type QuarantineRecord, rowOfQuarantined } from './quarantine-row.ts';

/**
 * Exports gardens with their members, deleted gardens included. Without them, only admins could see their facts in the
 * other store.
 */
export const transferGardens = (tables: PluginTables, names: ServiceNames): TransferSection => ({
  type: 'garden',
  async *pages(snapshot, tenantId) {
    const own = tables.in(snapshot);
    for await (const rows of rowPages(own, GARDENS, 'garden_id', tenantId)) {
      const ids = rows.map((row) => String(row['garden_id']));
      const members = (await own.select(MEMBERS, { tenant_id: tenantId, garden_id: ids })).map(memberFromRow);
      yield rows.map(gardenFromRow).map((garden) => gardenLine(garden, members));
    }
  },
  async take(transaction, tenantId, line) {
    const { garden, members } = readGarden(line, tenantId, names);
    const own = tables.in(transaction);
    const [known] = await own.select(GARDENS, { tenant_id: tenantId, garden_id: garden.id });
    // The importing store keeps its own garden, because it is newer than the file.
    if (known !== undefined) return false;
    if (garden.deletedMs === null) {
      const taken = await own.select(GARDENS, { tenant_id: tenantId, active_slug: garden.slug });
      if (taken.length > 0) throw new ServiceError('validation', 'another garden has the slug of this one');
    }
    await own.insertRows(GARDENS, [rowOfGarden(garden)]);
    await insertMembers(own, members, garden);
    return true;
  },
});

/** Exports and imports the facts in quarantine, and the judgements on them. */
export const transferQuarantine = (tables: PluginTables): TransferSection => ({
  type: 'quarantine',
  async *pages(snapshot, tenantId) {
    for await (const rows of rowPages(tables.in(snapshot), QUARANTINED, 'fact_id', tenantId)) {
      yield rows.map(({ tenant_id: _, ...members }) => members);
    }
  },
  async take(transaction, tenantId, line) {
    const entry = readQuarantined(line, tenantId);
    const own = tables.in(transaction);
    const [known] = await own.select(QUARANTINED, { tenant_id: tenantId, fact_id: entry.factId });
    if (known !== undefined) return false;
    const fact = await transaction.get(tenantId, entry.factId);
    if (fact === undefined) throw broken('fact_id');
    await own.insertRows(QUARANTINED, [{ ...rowOfQuarantined(entry), ...ownedBy(fact) }]);
    return true;
  },
});

const gardenLine = (garden: Garden, members: readonly Member[]): TransferLine => ({
  id: garden.id,
  slug: garden.slug,
  name: garden.name,
  scope: garden.scope,
  description: garden.description,
  created_by: garden.createdBy,
  holder_uri: garden.holderUri,
  created_ms: garden.createdMs,
  quarantine: garden.quarantine,
  deleted_ms: garden.deletedMs,
  members: members
    .filter(({ gardenId }) => gardenId === garden.id)
    .sort((a, b) => (a.entityUri < b.entityUri ? -1 : 1))
    .map(({ entityUri, role, addedBy, addedMs }) => ({
      entity_uri: entityUri,
      role,
      added_by: addedBy,
      added_ms: addedMs,
    })),
});

const readGarden = (
  line: TransferLine,
  tenantId: string,
  names: ServiceNames,
): { garden: Garden; members: Member[] } => {
  const { quarantine, description, deleted_ms: deletedMs, members } = line;
  const scope = SCOPES.find((known) => known === line['scope']);
  const slug = textOf(line, 'slug');
  if (scope === undefined) throw broken('scope');
  if (!SLUG.test(slug)) throw broken('slug');
  if (typeof quarantine !== 'boolean') throw broken('quarantine');
  if (description !== null && typeof description !== 'string') throw broken('description');
  if (!Array.isArray(members)) throw broken('members');
  const garden: Garden = {
    id: textOf(line, 'id'),
    tenantId,
    slug,
    name: textOf(line, 'name'),
    scope,
    description,
    createdBy: textOf(line, 'created_by'),
    holderUri: textOf(line, 'holder_uri'),
    createdMs: instantOf(line, 'created_ms'),
    quarantine,
    deletedMs: deletedMs === null ? null : instantOf(line, 'deleted_ms'),
  };
  const read = members.map((member: unknown) => readMember(member, garden, names));
  if (new Set(read.map(({ entityKey }) => entityKey)).size < read.length) throw broken('members');
  return { garden, members: read };
};

const readMember = (member: unknown, { id: gardenId, tenantId }: Garden, names: ServiceNames): Member => {
  if (typeof member !== 'object' || member === null) throw broken('members');
  const line = member as TransferLine;
  const role = ROLES.find((known) => known === line['role']);
  if (role === undefined) throw broken('role');
  const entityUri = readEntityUri(line['entity_uri'], 'entity_uri');
  return {
    tenantId,
    gardenId,
    entityUri,
    entityKey: principalKey(entityUri, names),
    role,
    addedBy: textOf(line, 'added_by'),
    addedMs: instantOf(line, 'added_ms'),
  };
};

const readQuarantined = (line: TransferLine, tenantId: string): QuarantineRecord => {
  const status = QUARANTINE_STATUSES.find((known) => known === line['status']);
  if (status === undefined) throw broken('status');
  const text = (name: string): string | null => (line[name] === null ? null : textOf(line, name));
  return {
    factId: textOf(line, 'fact_id'),
    tenantId,
    gardenId: textOf(line, 'garden_id'),
    status,
    reason: textOf(line, 'reason'),
    timestampMs: instantOf(line, 'timestamp_ms'),
    actedBy: text('acted_by'),
    actedMs: line['acted_ms'] === null ? null : instantOf(line, 'acted_ms'),
    targetGardenId: text('target_garden_id'),
  };
};

const textOf = (line: TransferLine, name: string): string => {
  const value = line[name];
  if (typeof value !== 'string' || value === '') throw broken(name);
  return value;
};

const instantOf = (line: TransferLine, name: string): number => {
  const value = line[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw broken(name);
  return value;
};

const broken = (name: string): ServiceError =>
  new ServiceError('validation', `${name} is missing or not what an export holds there`);
