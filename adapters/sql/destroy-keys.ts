import type { ContentSeal, DoomedKey, Scope, SealedSubject, SqlValue, ValueToSeal } from '../../ports/ports.ts';
import { changeKeys, type SealedEngine } from './change-keys.ts';
import { DESTRUCTIONS_TABLE } from './fact-table.ts';
import { LIMIT } from './limit.ts';
import { refreshTo, settingOf } from './seal-version.ts';
import type { SqlSession } from './sql-engine.ts';

/** Destroys the keys of erased facts, piece by piece. */

/** The subjects of one piece. Each piece replaces the whole file of keys, which grows with every destroyed key. */
const SUBJECTS_AT_ONCE = 500;
/** The subjects and facts that one transaction looks at, so that other writes need not wait long. */
const FACTS_AT_ONCE = 200;

const TENANTS = `SELECT DISTINCT tenant_id FROM ${DESTRUCTIONS_TABLE} ORDER BY tenant_id`;

/** Parameters: tenant, limit. */
const SUBJECTS = `SELECT entity_key, scope, max(generation) FROM ${DESTRUCTIONS_TABLE}
WHERE tenant_id = ? GROUP BY entity_key, scope ORDER BY entity_key, scope ${LIMIT}`;

const OF_SUBJECT = 'tenant_id = ? AND entity_key = ? AND scope = ?';
/** Each has the parameters tenant, entity key, scope, last generation. */
const GENERATIONS = `SELECT generation FROM ${DESTRUCTIONS_TABLE} WHERE ${OF_SUBJECT} AND generation <= ?`;
const FORGET = `DELETE FROM ${DESTRUCTIONS_TABLE} WHERE ${OF_SUBJECT} AND generation <= ?`;

/** Parameters: tenant, entity key, scope. */
const LEFT = `SELECT 1 FROM facts WHERE ${OF_SUBJECT} AND cid IS NOT NULL LIMIT 1`;

/** Selects what people said and no erasure has reached. Parameters: tenant, entity key, scope, number, limit. */
const SPARED = `SELECT number, substr(sealed, 1, 16) FROM facts
WHERE ${OF_SUBJECT} AND number > ? AND sealed IS NOT NULL AND system = 0 ORDER BY number ${LIMIT}`;

/** Selects facts that are not erased. Parameters: tenant, entity key, scope, number, limit. */
const SURVIVORS = `SELECT number, id, sealed, salt FROM facts
WHERE ${OF_SUBJECT} AND number > ? AND sealed IS NOT NULL ORDER BY number ${LIMIT}`;

const RESEAL = 'UPDATE facts SET sealed = ?, salt = ? WHERE tenant_id = ? AND id = ?';

/** A subject with the last generation of its keys that is to be destroyed. */
interface DoomedSubject extends SealedSubject {
  readonly last: number;
}

const SHARED_KEY =
  'earlier backups, replicas and logs: they still open some erased facts, whose key also opens facts that stay';

/**
 * Destroys the keys that erasures have recorded, except for those that also open what an erasure has spared: without
 * them earlier backups would lose it. First seals the remaining facts of each subject, which are of the node itself,
 * anew with a later key, and commits that. Only then destroys the keys, under the lock of the tenant, so that no fact
 * needs one of them. After that it replaces the copies of the keys, without a lock. The records of the erasures go
 * last, so that a call after a crash repeats the work. Returns sentences about copies that stay.
 */
export const destroyKeys = async (store: SealedEngine): Promise<readonly string[]> => {
  const sentences = new Set<string>();
  const tenants = await store.engine.read((session) => session.rows(TENANTS, []));
  for (const [tenantId] of tenants) {
    for (;;) {
      const subjects = await doomedSubjects(store, tenantId as string);
      if (subjects.length === 0) break;
      const doomed: DoomedSubject[] = [];
      for (let at = 0; at < subjects.length; at += FACTS_AT_ONCE) {
        doomed.push(...(await withoutShared(store, subjects.slice(at, at + FACTS_AT_ONCE))));
      }
      if (doomed.length < subjects.length) sentences.add(SHARED_KEY);
      if (doomed.length === 0) continue;
      await sealAnew(store, doomed);
      await destroyOf(store, doomed);
      for (const sentence of await store.seal.replaceCopies()) sentences.add(sentence);
      await forget(store, doomed);
    }
  }
  return [...sentences];
};

/** Destroys all keys of a removed tenant. Returns sentences about copies that stay. */
export const destroyTenantKeys = async (store: SealedEngine, tenantId: string): Promise<readonly string[]> => {
  await store.engine.write(store.lockOf(tenantId), (session) =>
    changeKeys(store, session, async () => {
      await store.seal.destroyTenant(tenantId);
      return {};
    }),
  );
  return store.seal.replaceCopies();
};

const doomedSubjects = async ({ engine }: SealedEngine, tenantId: string): Promise<readonly DoomedSubject[]> => {
  const rows = await engine.read((session) => session.rows(SUBJECTS, [tenantId, SUBJECTS_AT_ONCE]));
  return rows.map(([entityKey, scope, last]) => ({
    tenantId,
    entityKey: entityKey as string,
    scope: scope as Scope,
    last: last as number,
  }));
};

/**
 * Drops the records of each subject whose doomed keys also seal facts that were spared, and returns the others. Later
 * facts have a later key, so a fact with a doomed one is older than the erasure.
 */
const withoutShared = (store: SealedEngine, subjects: readonly DoomedSubject[]): Promise<readonly DoomedSubject[]> =>
  store.engine.write(store.lockOf(tenantOf(subjects)), async (session) => {
    const doomed: DoomedSubject[] = [];
    for (const subject of subjects) {
      if (await isShared(session, store.seal, subject)) {
        await session.run(FORGET, [...parametersOf(subject), subject.last]);
      } else doomed.push(subject);
    }
    return doomed;
  });

const isShared = async (session: SqlSession, seal: ContentSeal, subject: DoomedSubject): Promise<boolean> => {
  for (let above: number | undefined = 0; above !== undefined; ) {
    const rows: SqlValue[][] = await session.rows(SPARED, [...parametersOf(subject), above, FACTS_AT_ONCE]);
    if (rows.some(([, header]) => isSealedWithDoomed(seal, subject, header as Uint8Array))) return true;
    above = rows.length < FACTS_AT_ONCE ? undefined : (rows.at(-1)?.[0] as number);
  }
  return false;
};

/** Returns false for a damaged header, which names no key, and for a key that is gone already. */
const isSealedWithDoomed = (seal: ContentSeal, subject: DoomedSubject, header: Uint8Array): boolean => {
  try {
    return seal.generationIn(header) <= subject.last && !seal.isDestroyed(subject, header);
  } catch {
    return false;
  }
};

/** A subject whose facts are being sealed anew, and the number of the last one that was looked at. */
interface Remaining {
  readonly subject: DoomedSubject;
  readonly above: number;
}

/** Seals the facts of these subjects that need a doomed key with a later one, some in each transaction. */
const sealAnew = async ({ engine, seal, lockOf }: SealedEngine, subjects: readonly DoomedSubject[]): Promise<void> => {
  for (let left: readonly Remaining[] = subjects.map((subject) => ({ subject, above: 0 })); left.length > 0; ) {
    const these = left;
    left = await engine.write(lockOf(tenantOf(subjects)), (session) => sealSome(session, seal, these));
  }
};

/** Seals as many facts anew as one transaction takes. Returns what remains. */
const sealSome = async (
  session: SqlSession,
  seal: ContentSeal,
  subjects: readonly Remaining[],
): Promise<readonly Remaining[]> => {
  await refreshTo(seal, await settingOf(session));
  let room = FACTS_AT_ONCE;
  for (const [at, { subject, above }] of subjects.entries()) {
    if (room === 0) return subjects.slice(at);
    const rows = await session.rows(SURVIVORS, [...parametersOf(subject), above, room]);
    for (const row of rows) await sealFact(session, seal, subject, row);
    if (rows.length === room) return [{ subject, above: rows.at(-1)?.[0] as number }, ...subjects.slice(at + 1)];
    // A subject without facts costs a query too, so it counts as one.
    room -= Math.max(1, rows.length);
  }
  return [];
};

const sealFact = async (
  session: SqlSession,
  seal: ContentSeal,
  subject: DoomedSubject,
  [, id, sealed, salt]: readonly SqlValue[],
): Promise<void> => {
  const opened = openedWithDoomed(seal, subject, id as string, sealed as Uint8Array, salt as Uint8Array | null);
  if (opened === undefined) return;
  const value = seal.sealValue(subject, id as string, opened, subject.last);
  // Destroying the doomed keys would destroy this fact too.
  if (seal.generationIn(value) <= subject.last) throw new Error('a seal gives a later key where one is asked for');
  const sealedSalt = opened.salt === null ? null : seal.sealSalt(subject, id as string, opened.salt, subject.last);
  await session.run(RESEAL, [value, sealedSalt, subject.tenantId, id as string]);
};

/** Returns what a doomed key has sealed; undefined for another key, and for a damaged fact, which no key opens. */
const openedWithDoomed = (
  seal: ContentSeal,
  subject: DoomedSubject,
  id: string,
  sealed: Uint8Array,
  salt: Uint8Array | null,
): (ValueToSeal & { readonly salt: Uint8Array | null }) | undefined => {
  try {
    const header = sealed.subarray(0, seal.headerBytes);
    if (seal.generationIn(header) > subject.last) return undefined;
    return {
      text: seal.openValue(subject, id, sealed),
      commitment: seal.openCommitment(subject, id, header, sealed.subarray(-seal.commitmentBytes)),
      salt: salt === null ? null : seal.openSalt(subject, id, salt, header),
    };
  } catch {
    return undefined;
  }
};

const destroyOf = (store: SealedEngine, subjects: readonly DoomedSubject[]): Promise<void> =>
  store.engine.write(store.lockOf(tenantOf(subjects)), (session) =>
    changeKeys(store, session, async () => {
      const keys: DoomedKey[] = [];
      for (const subject of subjects) keys.push(...(await doomedKeys(session, subject)));
      await store.seal.destroy(keys);
      return {};
    }),
  );

const forget = ({ engine, lockOf }: SealedEngine, subjects: readonly DoomedSubject[]): Promise<void> =>
  engine.write(lockOf(tenantOf(subjects)), async (session) => {
    for (const subject of subjects) await session.run(FORGET, [...parametersOf(subject), subject.last]);
  });

/** Returns the tenant of subjects, which all have the same one. */
const tenantOf = (subjects: readonly DoomedSubject[]): string => (subjects[0] as DoomedSubject).tenantId;

const doomedKeys = async (session: SqlSession, subject: DoomedSubject): Promise<readonly DoomedKey[]> => {
  const { tenantId, entityKey, scope, last } = subject;
  const isWhole = (await session.rows(LEFT, parametersOf(subject))).length === 0;
  const rows = await session.rows(GENERATIONS, [...parametersOf(subject), last]);
  return rows.map(([generation]) => ({ tenantId, entityKey, scope, generation: generation as number, isWhole }));
};

const parametersOf = ({ tenantId, entityKey, scope }: SealedSubject): readonly string[] => [tenantId, entityKey, scope];
