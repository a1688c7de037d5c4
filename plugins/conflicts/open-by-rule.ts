import { SIBLING_LIMIT, type TripleKey, type TriplePosition, tripleId, ZERO_HLC } from '../../kernel/internal-api.ts';
import type {
  FactOutline,
  PluginSnapshot,
  PluginTransaction,
  ReadableTables,
  WritableTables,
} from '../../kernel/plugin-api.ts';
import { appendAboutRecords, type FollowParts } from './append-about-records.ts';
import { openedFacts } from './conflict-facts.ts';
import { type ConflictRecord, insertMembers, insertRecords, openRecords } from './conflict-record.ts';
import { conflictOpened } from './conflicts-api.ts';
import { type JudgedPlace, judgePlaces } from './live-facts.ts';
import { compareAge, strongestRival } from './strength.ts';
import { placeDigest, readTimelines, writeTimelines } from './timeline-rows.ts';
import { isContested } from './winner-timeline.ts';

/** The number of triples per transaction: small, so that other writers never wait long. */
const TRIPLES_AT_ONCE = 25;

/** The position of a fact in the pass over all triples, with its value. */
export interface WalkedFact extends TriplePosition {
  readonly valueKey: string;
}

/** Returns the triples of a page that have two values. `before` is the last fact of the page before. */
export const planOpening = (page: readonly FactOutline[], before: WalkedFact | null): TripleKey[] => {
  const found = new Map<string, TripleKey>();
  const tenantId = page[0]?.tenantId ?? '';
  let last = before === null ? undefined : { ...before, tenantId };
  for (const fact of page) {
    const id = tripleId(fact);
    if (last !== undefined && tripleId(last) === id && last.valueKey !== fact.valueKey) found.set(id, fact);
    last = fact;
  }
  return [...found.values()];
};

/** Opens records for those of these triples that have a contradiction and no open record. Returns their number. */
export const openByRule = async (
  triples: readonly TripleKey[],
  parts: FollowParts,
  guard: (transaction: PluginTransaction) => Promise<void>,
  tenantId: string,
): Promise<number> => {
  let opened = 0;
  for (let at = 0; at < triples.length; ) {
    const some = triples.slice(at, at + TRIPLES_AT_ONCE);
    const missing = await parts.tables.read((own, snapshot) => missingAmong(some, own, snapshot, parts));
    const records = missing.map((place) => ({ ...place, record: recordFor(place.triple, parts) }));
    const drafts = records.flatMap(({ record, newest, rival }) => openedFacts(record, newest, rival, parts.names));
    const write = (own: WritableTables, transaction: PluginTransaction) => openAll(records, own, transaction, parts);
    if (records.length > 0 && !(await appendAboutRecords({ drafts, write }, parts, guard, tenantId))) continue;
    opened += records.length;
    at += some.length;
  }
  return opened;
};

interface MissingPlace extends JudgedPlace {
  readonly newest: FactOutline;
  readonly rival: FactOutline;
}

interface PlannedRecord extends MissingPlace {
  readonly record: ConflictRecord;
}

const missingAmong = async (
  triples: readonly TripleKey[],
  own: ReadableTables,
  snapshot: PluginSnapshot,
  { clock, relations, hiddenRivals }: Pick<FollowParts, 'clock' | 'relations' | 'hiddenRivals'>,
): Promise<MissingPlace[]> => {
  const nowMs = clock.nowMs();
  const holdOne = triples.filter(({ tenantId, relationKey }) => !relations.at(tenantId).holdsMany(relationKey));
  const open = await openRecords(own, holdOne);
  const unrecorded = holdOne.filter((triple) => !open.has(tripleId(triple)));
  return (await judgePlaces(snapshot, unrecorded, nowMs, hiddenRivals)).flatMap((place) => {
    const [newest] = [...place.facts].sort(compareAge);
    const rival = newest && strongestRival(newest, place.facts);
    if (newest === undefined || rival === undefined || !isContested(place.timeline, nowMs)) return [];
    return [{ ...place, newest, rival }];
  });
};

const recordFor = (
  { tenantId, entityKey, relationKey, scope, gardenId }: TripleKey,
  { random, clock }: Pick<FollowParts, 'random' | 'clock'>,
): ConflictRecord => ({
  id: random.uuid(),
  tenantId,
  entityKey,
  relationKey,
  scope,
  gardenId,
  status: 'unresolved',
  detectedMs: clock.nowMs(),
  resolvedBy: null,
});

const openAll = async (
  planned: readonly PlannedRecord[],
  own: WritableTables,
  transaction: PluginTransaction,
  parts: FollowParts,
): Promise<boolean> => {
  const triples = planned.map(({ triple }) => triple);
  const present = await missingAmong(triples, own, transaction, parts);
  const isSame = ({ newest, rival }: MissingPlace, at: number): boolean =>
    newest.id === planned[at]?.newest.id && rival.id === planned[at]?.rival.id;
  if (present.length < planned.length || !present.every(isSame)) return false;
  await insertRecords(
    own,
    planned.map(({ record }) => record),
  );
  await insertMembers(
    own,
    planned.flatMap(({ record, newest, rival, facts }) =>
      [...new Set([newest, rival, ...facts.slice(0, SIBLING_LIMIT)])].map((fact) => ({ record, fact })),
    ),
  );
  await storeMissingTimelines(planned, own, transaction, parts.clock.nowMs());
  for (const { record, newest, rival } of planned) {
    const fact = await transaction.get(record.tenantId, newest.id);
    if (fact === undefined || !parts.hooks.hasHandlers(conflictOpened)) continue;
    const witnesses = async () => [newest.id, rival.id];
    await parts.hooks.collect(conflictOpened, { conflictId: record.id, triple: record, fact, transaction, witnesses });
  }
  return true;
};

/** Stores winners that are missing because the facts came by an import, or while the plugin was off. */
const storeMissingTimelines = async (
  planned: readonly PlannedRecord[],
  own: WritableTables,
  transaction: PluginTransaction,
  nowMs: number,
): Promise<void> => {
  const [one] = planned;
  if (one === undefined) return;
  const stored = await readTimelines(
    own,
    one.triple.tenantId,
    planned.map(({ triple }) => placeDigest(triple)),
  );
  const missing = planned.filter(({ triple }) => !isContested(stored.get(placeDigest(triple)), nowMs));
  const [first] = missing;
  if (first === undefined) return;
  const { newest } = await transaction.ledgerHead(first.triple.tenantId);
  const since = newest?.feed ?? ZERO_HLC;
  const changes = missing.map(({ triple, timeline }) => ({
    triple,
    before: stored.get(placeDigest(triple)),
    after: [{ ...timeline, since }],
  }));
  await writeTimelines(own, changes, nowMs);
};
