import {
  type Facts,
  memberRefusal,
  type NodeSelf,
  type PluginTables,
  requirePermission,
} from '../../kernel/plugin-api.ts';
import type { Attestations } from '../attestation/attestation-api.ts';
import type { Conflicts } from './conflicts-api.ts';
import type { HeldRelations } from './held-relations.ts';
import type { HiddenRivals } from './hidden-rivals.ts';
import { findConflict, listConflicts } from './list-conflicts.ts';
import { noSuchConflict, recordIdOf, resolveConflict } from './resolve-conflict.ts';

export interface ConflictParts {
  readonly facts: Facts;
  readonly self: NodeSelf;
  readonly tables: PluginTables;
  readonly attestations: Attestations | undefined;
  readonly relations: HeldRelations;
  readonly hiddenRivals: HiddenRivals;
}

export const MAX_CONFLICTS = 500;

export const createConflicts = (parts: ConflictParts): Conflicts => ({
  async list(caller, { status = 'unresolved', after, limit }) {
    requirePermission(caller, 'read');
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_CONFLICTS)) {
      throw memberRefusal('query.limit', `must be a whole number from 1 to ${MAX_CONFLICTS}`, 'bad_parameter');
    }
    const { found, more } = await parts.facts.read(caller, 'query', (reader) =>
      listConflicts(reader, parts, status, after, limit + 1),
    );
    return { found: found.slice(0, limit), more: more || found.length > limit };
  },
  async get(caller, id) {
    requirePermission(caller, 'read');
    const recordId = recordIdOf(id, parts.self);
    const found = await parts.facts.read(caller, 'query', (reader) => findConflict(reader, parts, recordId));
    if (found === undefined) throw noSuchConflict();
    return found;
  },
  async resolve(caller, id, decision) {
    requirePermission(caller, 'write');
    return resolveConflict(caller, id, decision, parts);
  },
});
