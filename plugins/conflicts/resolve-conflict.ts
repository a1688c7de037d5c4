import { hasForbiddenCodePoint, readFactValue } from '../../kernel/internal-api.ts';
import {
  type FactDraft,
  type FactReader,
  type FactValue,
  type FactView,
  type NodeSelf,
  type Notes,
  noted,
  type PluginTables,
  type Principal,
  ServiceError,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import { attestationNotes } from '../attestation/attestation-api.ts';
import { MAX_DERIVATIONS, SummaryNote } from '../facts/facts-api.ts';
import { conflictEntity } from './conflict-entity.ts';
import { membersAmong, RECORDS } from './conflict-record.ts';
import { type ConflictDecision, type ConflictView, Resolution } from './conflicts-api.ts';
import { ALREADY_RESOLVED } from './conflicts-words.ts';
import type { ConflictParts } from './create-conflicts.ts';
import { findConflict } from './list-conflicts.ts';

/** The maximum size of a note in UTF-8. */
const NOTE_BYTES = 16 * 1024;

/** Stores the resolution of a conflict, which closes its record; see `Conflicts.resolve`. */
export const resolveConflict = async (
  caller: Principal,
  name: string,
  decision: ConflictDecision,
  parts: ConflictParts,
): Promise<FactView> => {
  const note = readNote(decision.note ?? '');
  const newValue = decision.newValue == null ? undefined : readFactValue(decision.newValue, 'body.new_value');
  if (newValue === undefined && decision.winningFactId == null) throw undecided();
  const id = recordIdOf(name, parts.self);
  const draft = await parts.facts.read(caller, 'query', async (reader) => {
    const conflict = await findConflict(reader, parts, id);
    if (conflict === undefined) throw noSuchConflict();
    if (conflict.record.status === 'resolved') throw alreadyResolved();
    const model =
      newValue === undefined
        ? await memberOf(conflict, decision.winningFactId, reader, parts.tables)
        : conflict.factA.fact;
    const notes = new Map([
      ...noted(Resolution, { conflictId: conflict.record.id, note }),
      ...noted(SummaryNote, true),
      // The attestation signs the fact that the resolution appends.
      ...attestationNotes(parts.attestations, decision.attestation),
    ]);
    return resolutionDraft(conflict, model, newValue ?? model.value, caller, notes);
  });
  const { view } = await parts.facts.append({ ...draft, sessionId: decision.sessionId ?? null }, caller, {
    exclusive: true,
    guard: async (transaction) => {
      const where = { tenant_id: caller.tenantId, conflict_id: id, status: 'unresolved' };
      const open = await parts.tables.in(transaction).select(RECORDS, where);
      if (open.length === 0) throw alreadyResolved();
    },
  });
  return view;
};

const memberOf = async (
  { record, members: shown }: ConflictView,
  id: string | null | undefined,
  reader: FactReader,
  tables: PluginTables,
): Promise<StoredFact> => {
  if (id == null || hasForbiddenCodePoint(id)) throw notAMember();
  const isShown = shown.some((member) => member.id === id);
  const members = isShown ? [id] : await membersAmong(tables.in(reader.snapshot), record, [id]);
  const [fact] = await reader.visible(members);
  if (fact === undefined) throw notAMember();
  return fact;
};

/** Returns the draft of a fact on the original triple that expires after all contradicting facts. */
const resolutionDraft = (
  conflict: ConflictView,
  model: StoredFact,
  value: FactValue,
  caller: Principal,
  notes: Notes,
): FactDraft => {
  // Lists the two shown facts first: they differ, so every node recognises the resolution. Peers limit the number of
  // references, so other facts may be left out.
  const members = [conflict.factA.fact, conflict.factB.fact, ...conflict.members];
  return {
    entity: model.entity,
    relation: model.relation,
    value,
    source: caller.entityUri,
    confidence: 1,
    scope: model.scope,
    gardenId: model.gardenId,
    derivedFrom: [...new Set(members.map(({ cid }) => cid))].slice(0, MAX_DERIVATIONS),
    notes,
  };
};

/** Returns the UUID of an identifier, with or without the service's prefix. */
export const recordIdOf = (text: string, { names }: NodeSelf): string => {
  // An id with such characters cannot be stored, so it does not exist.
  if (hasForbiddenCodePoint(text)) throw noSuchConflict();
  const prefix = conflictEntity('', names);
  return (text.startsWith(prefix) ? text.slice(prefix.length) : text).toLowerCase();
};

const readNote = (note: string): string => {
  const path = 'body.resolution_note';
  if (Buffer.byteLength(note) > NOTE_BYTES) {
    throw new ServiceError('validation', `resolution_note is longer than ${NOTE_BYTES} bytes`, {
      violations: [{ path, message: 'too long' }],
    });
  }
  if (hasForbiddenCodePoint(note)) {
    throw new ServiceError('validation', 'resolution_note has a character that cannot be stored', {
      violations: [{ path, message: 'holds U+0000 or a lone surrogate' }],
    });
  }
  return note;
};

export const noSuchConflict = (): ServiceError => new ServiceError('lookup', 'no such conflict');

const alreadyResolved = (): ServiceError => new ServiceError(ALREADY_RESOLVED, 'the conflict is already resolved');

const undecided = (): ServiceError =>
  new ServiceError('validation', 'give winning_fact_id or new_value', {
    violations: [{ path: 'body.winning_fact_id', message: 'required unless new_value is given' }],
  });

const notAMember = (): ServiceError =>
  new ServiceError('validation', 'winning_fact_id is not a member of this conflict', {
    violations: [{ path: 'body.winning_fact_id', message: 'not a member' }],
  });
