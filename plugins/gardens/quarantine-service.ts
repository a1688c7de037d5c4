import { hasForbiddenCodePoint, refuseGarden } from '../../kernel/internal-api.ts';
import {
  type Clock,
  type FactReader,
  type Facts,
  formatInstant,
  memberRefusal,
  type NodeSelf,
  nodePrincipal,
  noted,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type Principal,
  type ReadableTables,
  requirePermission,
  ServiceError,
  type ServiceNames,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import { type Attestations, attestationNotes, KeepsSource } from '../attestation/attestation-api.ts';
import type { AuditLog } from '../audit/audit-api.ts';
import { RequesterNote, referencesFor } from '../facts/facts-api.ts';
import { endOf, PromotionOf } from './follow-facts.ts';
import type { Garden } from './garden-row.ts';
import { type GardenService, noSuchGarden } from './garden-service.ts';
import { gardensById, roleOf } from './garden-store.ts';
import type { Decision, HeldFacts, Promotion, Quarantine, QuarantineSearch, Verdict } from './gardens-api.ts';
import { QUARANTINED } from './gardens-migrations.ts';
import { FACT_NOT_QUARANTINE_PENDING, QUARANTINE_PROMOTE, QUARANTINE_REJECT } from './gardens-words.ts';
import { listQuarantined } from './list-quarantined.ts';
import { type QuarantineRecord, quarantinedFromRow } from './quarantine-row.ts';
import { readFreeText } from './read-garden-draft.ts';
import { entered, findGarden, refuseGardenWrite } from './stored-garden-access.ts';

export interface QuarantineParts {
  readonly facts: Facts;
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly self: NodeSelf;
  readonly audit: AuditLog | undefined;
  readonly gardens: GardenService;
  readonly attestations: Attestations | undefined;
  /** The slug, id or URI of the garden for inbound facts; empty for none. */
  readonly inboundGarden: string;
}

export class QuarantineService implements Quarantine {
  readonly #parts: QuarantineParts;

  constructor(parts: QuarantineParts) {
    this.#parts = parts;
  }

  async inbound(tenantId: string, snapshot: PluginSnapshot): Promise<string | null> {
    const { tables, self, inboundGarden } = this.#parts;
    if (inboundGarden === '') return null;
    const operator = { ...nodePrincipal(self.names, tenantId), permissions: new Set(['admin']) };
    const garden = await findGarden(tables.in(snapshot), inboundGarden, operator, self);
    return garden?.quarantine === true && garden.deletedMs === null ? garden.id : null;
  }

  async list(caller: Principal, search: QuarantineSearch): Promise<HeldFacts> {
    requirePermission(caller, 'read');
    checkPage(search);
    return this.#parts.facts.read(caller, 'query', (reader) => listQuarantined(search, reader, this.#parts));
  }

  async promote(caller: Principal, promotion: Promotion): Promise<Decision> {
    requirePermission(caller, 'write');
    const { target = null, attestation = null, sessionId = null } = promotion;
    const { garden, factId, reason } = readVerdict(promotion);
    const { facts, self } = this.#parts;
    const { fact, into, derivedFrom } = await facts.read(caller, 'get', async (reader) => {
      const held = await this.#held(garden, factId, reader);
      const into = target === null ? null : await this.#target(target, held.fact, reader);
      const place = { scope: held.fact.scope, gardenId: into?.id ?? null };
      return { ...held, into, derivedFrom: await referencesFor(place, held.fact.derivedFrom, reader) };
    });
    const { entity, relation, value, source, confidence, scope, validFrom, validUntil, timestamp } = fact;
    const said = { entity, relation, value, source, confidence, scope, validFrom, validUntil, timestamp };
    const copy = { ...said, derivedFrom, sessionId };
    const notes = new Map([
      ...noted(KeepsSource, true),
      ...noted(PromotionOf, { id: fact.id, scope, gardenId: fact.gardenId }),
      ...attestationNotes(this.#parts.attestations, attestation),
    ]);
    let decision: Decision | undefined;
    await facts.append({ ...copy, gardenId: into?.id ?? null, notes }, caller, {
      exclusive: true,
      guard: (transaction) => this.#guard(fact, caller, transaction),
      beforeCommit: async (transaction, [verdict]) => {
        if (verdict?.kind !== 'stored') return;
        const detail = { target_garden_id: into?.id ?? null, promoted_fact_id: verdict.view.fact.id, reason };
        decision = await this.#decide('promoted', fact, into, caller, detail, transaction);
      },
    });
    if (decision === undefined) throw new Error(`a promotion on ${self.nodeId} was stored without its decision`);
    return decision;
  }

  async reject(caller: Principal, verdict: Verdict): Promise<Decision> {
    requirePermission(caller, 'write');
    const { garden, factId, reason } = readVerdict(verdict);
    const { facts, clock, self } = this.#parts;
    const { fact } = await facts.read(caller, 'get', (reader) => this.#held(garden, factId, reader));
    let decision: Decision | undefined;
    const end = { ...endOf(fact, clock.nowMs(), self.names), notes: noted(RequesterNote, caller.entityUri) };
    await facts.append(end, nodePrincipal(self.names, caller.tenantId), {
      origin: 'plugin',
      exclusive: true,
      guard: (transaction) => this.#guard(fact, caller, transaction),
      beforeCommit: async (transaction, [verdict]) => {
        if (verdict?.kind === 'stored') {
          decision = await this.#decide('rejected', fact, null, caller, { reason }, transaction);
        }
      },
    });
    if (decision === undefined) throw new Error(`a rejection on ${self.nodeId} was stored without its decision`);
    return decision;
  }

  /** Returns the pending fact, after checking that the caller may judge it. */
  async #held(name: string | null, factId: string, reader: FactReader): Promise<{ fact: StoredFact }> {
    const { tables, gardens, self } = this.#parts;
    const { caller } = reader;
    const own = tables.in(reader.snapshot);
    const garden =
      name === null ? await this.#gardenOf(own, factId, caller) : (await gardens.enter(own, name, caller)).garden;
    if (name !== null) await requireModerator(own, garden, caller, self.names);
    if (!garden.quarantine) throw new ServiceError('validation', 'the garden is no quarantine garden');
    const entry = await entryOf(own, factId, caller);
    const [fact] = await reader.visible([factId]);
    if (entry === undefined || entry.gardenId !== garden.id || fact === undefined) throw noSuchFact();
    if (entry.status !== 'pending') throw notPending();
    return { fact };
  }

  /**
   * Returns the garden of a fact. Throws the same error for an unknown fact and for one that the caller may not judge,
   * because only those who judge a pending fact see it.
   */
  async #gardenOf(own: ReadableTables, factId: string, caller: Principal): Promise<Garden> {
    const gardenId = (await entryOf(own, factId, caller))?.gardenId ?? '';
    const garden = (await gardensById(own, caller.tenantId, [gardenId])).get(gardenId);
    // Asked for an unknown fact too, because the number of statements would otherwise tell it from a held one.
    const mayJudge = await moderates(own, gardenId, caller, this.#parts.self.names);
    if (garden === undefined || !mayJudge) throw noSuchFact();
    return garden;
  }

  async #target(name: string, fact: StoredFact, { caller, snapshot }: FactReader): Promise<Garden> {
    const own = this.#parts.tables.in(snapshot);
    const { self } = this.#parts;
    const garden = await findGarden(own, name, caller, self);
    const role = await roleOf(own, garden?.id ?? '', caller, self.names);
    if (garden === undefined || garden.deletedMs !== null || role === undefined) throw refuseGarden(caller);
    if (garden.quarantine) throw new ServiceError('validation', 'target_garden_id names a quarantine garden');
    const refusal = refuseGardenWrite(entered(garden, role), fact.scope, caller, 'fact');
    if (refusal !== null) throw refusal;
    return garden;
  }

  async #guard({ id, gardenId }: StoredFact, caller: Principal, transaction: PluginTransaction): Promise<void> {
    const { tables, self } = this.#parts;
    const own = tables.in(transaction);
    const garden = (await gardensById(own, caller.tenantId, [gardenId ?? ''])).get(gardenId ?? '');
    if (garden === undefined || garden.deletedMs !== null) throw noSuchGarden();
    await requireModerator(own, garden, caller, self.names);
    if ((await entryOf(own, id, caller))?.status !== 'pending') throw notPending();
  }

  async #decide(
    status: 'promoted' | 'rejected',
    fact: StoredFact,
    targetGarden: Garden | null,
    caller: Principal,
    detail: Readonly<Record<string, string | null>>,
    transaction: PluginTransaction,
  ): Promise<Decision> {
    const { tables, clock, audit } = this.#parts;
    const nowMs = clock.nowMs();
    await tables
      .in(transaction)(QUARANTINED)
      .where({ tenant_id: fact.tenantId, fact_id: fact.id })
      .update({ status, acted_by: caller.entityUri, acted_ms: nowMs, target_garden_id: targetGarden?.id ?? null });
    await audit?.record(
      {
        event: status === 'promoted' ? QUARANTINE_PROMOTE : QUARANTINE_REJECT,
        tenantId: caller.tenantId,
        entityUri: caller.entityUri,
        oidcSub: caller.oidcSub,
        factId: fact.id,
        detail: { garden_id: fact.gardenId, ...detail },
      },
      transaction,
    );
    return { factId: fact.id, targetGarden, actedBy: caller.entityUri, actedAt: formatInstant(nowMs) };
  }
}

/** Fills in the defaults of a moderator's judgement. */
const readVerdict = ({ factId, garden = null, reason = null }: Verdict): Required<Verdict> => {
  // An id with such characters cannot be stored, so it does not exist.
  if (hasForbiddenCodePoint(factId)) throw noSuchFact();
  return { factId, garden, reason: reason === null ? null : readFreeText(reason, 'body.reason') };
};

const checkPage = ({ limit, offset }: QuarantineSearch): void => {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE)) {
    throw memberRefusal('query.limit', `must be a whole number from 1 to ${MAX_PAGE}`, 'bad_parameter');
  }
  if (!(Number.isInteger(offset) && offset >= 0 && offset <= MAX_OFFSET)) {
    throw memberRefusal('query.offset', `must be a whole number from 0 to ${MAX_OFFSET}`, 'bad_parameter');
  }
};

export const MAX_PAGE = 1_000;
export const MAX_OFFSET = 1_000_000_000;

const entryOf = async (
  own: ReadableTables,
  factId: string,
  { tenantId }: Principal,
): Promise<QuarantineRecord | undefined> => {
  const [row] = await own.select(QUARANTINED, { tenant_id: tenantId, fact_id: factId });
  return row === undefined ? undefined : quarantinedFromRow(row);
};

const moderates = async (
  own: ReadableTables,
  gardenId: string,
  caller: Principal,
  names: ServiceNames,
): Promise<boolean> => {
  const role = await roleOf(own, gardenId, caller, names);
  return role === 'admin' || role === 'quarantine:moderator';
};

const requireModerator = async (
  own: ReadableTables,
  garden: Garden,
  caller: Principal,
  names: ServiceNames,
): Promise<void> => {
  if (await moderates(own, garden.id, caller, names)) return;
  throw new ServiceError('authorization', 'only an admin or a moderator of the garden may do this');
};

const noSuchFact = (): ServiceError => new ServiceError('lookup', 'there is no such fact in quarantine');

const notPending = (): ServiceError =>
  new ServiceError(FACT_NOT_QUARANTINE_PENDING, 'this fact is pending no more: somebody has decided about it');
