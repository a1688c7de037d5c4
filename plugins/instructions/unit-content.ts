import { parseDateOrInstant } from '../../kernel/internal-api.ts';
import {
  above,
  all,
  any,
  below,
  equals,
  type FactReader,
  type Filter,
  isIn,
  markOf,
  matchKey,
  not,
  type ServiceNames,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import { ttlTarget } from '../facts/facts-api.ts';
import { QUARANTINE } from '../gardens/gardens-api.ts';
import { endedFor, speaksFor } from './authority.ts';
import type { Unit } from './manifest.ts';

/** The text of a unit for one reader. */
export interface UnitContent {
  readonly fact: StoredFact;
  /** Never empty. */
  readonly text: string;
}

/** The owner, whose facts have authority, and the reader. */
export interface UnitReading {
  /** entity_uri of the owner of the manifest. */
  readonly owner: string;
  readonly reader: FactReader;
  readonly names: ServiceNames;
}

/**
 * Returns the newest live fact at the unit's URI that has authority and that the reader may read; for a pinned unit,
 * the fact with the pinned content id. Returns undefined if there is none, or it has no text. Facts of other authors at
 * that URI are not loaded, and end nothing.
 */
export const contentOf = async (unit: Unit, reading: UnitReading): Promise<UnitContent | undefined> => {
  const fact = await newestText(unit, reading);
  if (fact === undefined || fact.value.v === null) return undefined;
  const text = String(fact.value.v);
  return text === '' ? undefined : { fact, text };
};

/** Checks the expiry of texts one by one, because only authors with authority can store many. */
const newestText = async (unit: Unit, reading: UnitReading): Promise<StoredFact | undefined> => {
  const { reader } = reading;
  const texts = textsOf(unit, reading);
  let older: Filter = all();
  for (;;) {
    const [fact] = await reader.find(all(texts, older), { view: 'visible', order: 'hlc', limit: 1 });
    if (fact === undefined) return undefined;
    if (!(await isHeld(fact, reader)) && !(await hasExpired(fact, reading))) return fact;
    older = below('hlc', fact.hlc);
  }
};

const textsOf = ({ factUri, pinnedCid }: Unit, { owner, reader, names }: UnitReading): Filter =>
  all(
    equals('entityKey', matchKey(factUri, names)),
    equals('system', false),
    above('confidence', 0),
    not(above('validFromMs', reader.nowMs)),
    not(below('validUntilMs', reader.nowMs + 1)),
    pinnedCid === null ? speaksFor(owner) : equals('cid', pinnedCid),
    not(endedFor(owner)),
  );

/** Returns true for a fact in quarantine, or refused there. Moderators see it, but agents must not follow it. */
const isHeld = async (fact: StoredFact, reader: FactReader): Promise<boolean> => {
  if (fact.gardenId === null) return false;
  const [view] = await reader.annotate([fact]);
  return view !== undefined && markOf(view, QUARANTINE) !== undefined;
};

const MAX_TTLS = 100;

/**
 * Uses the newest time-to-live that an author with authority has set. Other callers may set the expiry of a fact, but
 * not of an instruction.
 */
const hasExpired = async (fact: StoredFact, { owner, reader, names }: UnitReading): Promise<boolean> => {
  const { snapshot, nowMs } = reader;
  // Runs this cheap query first, because most facts have no time-to-live.
  if ((await snapshot.expiries([fact])).length === 0) return false;
  const { assertedBy, value } = fact;
  const ownWord = value.interpretAs === 'instruction' && assertedBy !== null ? [equals('assertedBy', assertedBy)] : [];
  const filter = all(
    equals('tenantId', fact.tenantId),
    equals('system', true),
    isIn('entityKey', [matchKey(fact.id, names), matchKey(names.factEntity(fact.id), names)]),
    equals('relationKey', names.meta('ttl')),
    any(speaksFor(owner), ...ownWord),
  );
  const found = await snapshot.find({ filter, order: 'hlc', limit: MAX_TTLS });
  // Compares the ids exactly: a match key ignores case, and ids of peers may differ only in case.
  const ttl = found.find(({ entity }) => ttlTarget(entity, names) === fact.id);
  const expiresMs = ttl === undefined ? null : parseDateOrInstant(String(ttl.value.v));
  return expiresMs !== null && expiresMs <= nowMs;
};
