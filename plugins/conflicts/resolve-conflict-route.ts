import {
  FACT_VALUE_JSON,
  type FactDraft,
  type FactReader,
  type Facts,
  type FactValue,
  hasForbiddenCodePoint,
  type NodeSelf,
  noted,
  type PluginTables,
  type Principal,
  type ReadSession,
  type Route,
  readFactValue,
  ServiceError,
  type StoredFact,
  schema,
} from '../../kernel/plugin-api.ts';
import { SumsUp } from '../facts/facts-api.ts';
import { type AgentKeys, ATTESTATION_JSON, type AttestationJson, verifyAttestation } from '../keys/keys-api.ts';
import { membersAmong, RECORDS } from './conflict-record.ts';
import { Resolution } from './conflicts-api.ts';
import { ALREADY_RESOLVED } from './conflicts-errors.ts';
import { type ConflictView, findConflict } from './list-conflicts.ts';

interface Body {
  readonly winning_fact_id?: string | null;
  readonly resolution_note: string;
  readonly new_value?: unknown;
  readonly attestation?: AttestationJson | null;
}

const NOTE_BYTES = 16 * 1024;

export interface ResolveParts {
  readonly facts: Facts;
  readonly self: NodeSelf;
  readonly tables: PluginTables;
  readonly agentKeys: AgentKeys | undefined;
  readonly readSession: ReadSession;
}

export function resolveConflictRoute(parts: ResolveParts): Route<{ id: string }, undefined, Body> {
  return {
    method: 'POST',
    path: '/v1/conflicts/*id/resolve',
    summary: 'Settle a contradiction with a winning fact or a new value',
    access: { permission: 'write' },
    dimension: 'fact_write',
    params: schema<{ id: string }>({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }),
    body: schema<Body>({
      type: 'object',
      properties: {
        winning_fact_id: { type: ['string', 'null'] },
        resolution_note: { type: 'string', default: '' },
        new_value: FACT_VALUE_JSON,
        attestation: ATTESTATION_JSON,
      },
    }),
    async handle(request) {
      const { caller, params, body } = request;
      const sessionId = parts.readSession(request);
      const note = readNote(body.resolution_note);
      const newValue = body.new_value == null ? undefined : readFactValue(body.new_value, 'body.new_value');
      if (newValue === undefined && body.winning_fact_id == null) throw undecided();
      const id = recordIdOf(params.id, parts.self);
      const draft = await parts.facts.read(caller, 'query', async (reader) => {
        const conflict = await findConflict(reader, parts.tables, id);
        if (conflict === undefined) throw new ServiceError('lookup', 'no such conflict');
        if (conflict.record.status === 'resolved') throw alreadyResolved();
        const model =
          newValue === undefined
            ? await memberOf(conflict, body.winning_fact_id, reader, parts.tables)
            : conflict.factA.fact;
        return resolutionDraft(conflict, model, newValue ?? model.value, caller, note);
      });
      const attestedKeyId = await signerOf(draft, body.attestation, caller, parts);
      const { view } = await parts.facts.append({ ...draft, sessionId, attestedKeyId }, caller, {
        exclusive: true,
        guard: async (transaction) => {
          const open = await parts.tables.in(transaction).select(RECORDS, { conflict_id: id, status: 'unresolved' });
          if (open.length === 0) throw alreadyResolved();
        },
      });
      return { status: 200, body: { resolution_fact_id: view.fact.id, conflict_status: 'resolved' } };
    },
  };
}

/** What is signed is the fact that the resolution appends (wire contract 5.2). */
async function signerOf(
  { entity, relation, value, source }: FactDraft,
  attestation: AttestationJson | null | undefined,
  caller: Principal,
  { agentKeys }: ResolveParts,
): Promise<string | null> {
  if (attestation == null) return null;
  const { key_id: keyId, signature } = attestation;
  const signed = { keyId, signature, entity, relation, value, source };
  return verifyAttestation(agentKeys, signed, caller, 'body.attestation');
}

async function memberOf(
  { record }: ConflictView,
  id: string | null | undefined,
  reader: FactReader,
  tables: PluginTables,
): Promise<StoredFact> {
  const members = id == null ? [] : await membersAmong(tables.in(reader.snapshot), record.id, [id]);
  const [fact] = await reader.visible(members);
  if (fact === undefined) throw notAMember();
  return fact;
}

/** A fact of the original triple that outlives all its members. */
function resolutionDraft(
  conflict: ConflictView,
  model: StoredFact,
  value: FactValue,
  caller: Principal,
  note: string,
): FactDraft {
  return {
    entity: model.entity,
    relation: model.relation,
    value,
    source: caller.entityUri,
    confidence: 1,
    scope: model.scope,
    gardenId: model.gardenId,
    derivedFrom: [...new Set(conflict.members.map(({ cid }) => cid))],
    notes: new Map([...noted(Resolution, { conflictId: conflict.record.id, note }), ...noted(SumsUp, true)]),
  };
}

/** The identifier with the service's prefix, or the bare UUID. */
function recordIdOf(text: string, { names }: NodeSelf): string {
  const prefix = names.conflictId('');
  return (text.startsWith(prefix) ? text.slice(prefix.length) : text).toLowerCase();
}

function readNote(note: string): string {
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
}

const alreadyResolved = (): ServiceError => new ServiceError(ALREADY_RESOLVED, 'the conflict is already resolved');

const undecided = (): ServiceError =>
  new ServiceError('validation', 'give winning_fact_id or new_value', {
    violations: [{ path: 'body.winning_fact_id', message: 'required unless new_value is given' }],
  });

const notAMember = (): ServiceError =>
  new ServiceError('validation', 'winning_fact_id is not a member of this conflict', {
    violations: [{ path: 'body.winning_fact_id', message: 'not a member' }],
  });
