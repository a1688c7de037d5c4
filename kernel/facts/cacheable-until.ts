import { all, equals } from '../../ports/ports.ts';
import type { HookCaller } from '../hooks/define-hook.ts';
import { type NextChangeQuestion, readAnnotate, readConstrain, readNextChange } from './read-hooks.ts';

/** The maximum number of an entity's facts for which answers are cached. */
const MOST_FACTS = 1_000;

const NEVER_STEADY = Number.NEGATIVE_INFINITY;

/**
 * Returns the instant until which answers about the entity stay the same without a commit. It is the next beginning or
 * expiry among its facts, hidden ones included, or the next instant that a plugin returns from `read:next-change`.
 */
export const cacheableUntil = async (hooks: HookCaller, question: NextChangeQuestion): Promise<number> => {
  if (![readConstrain, readAnnotate].every((hook) => hooks.isCacheable(hook))) return NEVER_STEADY;
  const { caller, snapshot, entityKey, nowMs } = question;
  const ofEntity = all(equals('tenantId', caller.tenantId), equals('entityKey', entityKey));
  const facts = await snapshot.outline(ofEntity, MOST_FACTS + 1);
  if (facts.length > MOST_FACTS) return NEVER_STEADY;
  const expiries = facts.length === 0 ? [] : await snapshot.expiries(facts);
  const told = await hooks.collect(readNextChange, question);
  const instants = [
    ...facts.flatMap(({ validFromMs, validUntilMs }) => [validFromMs, validUntilMs]),
    ...expiries.map(({ expiresMs }) => expiresMs),
  ];
  let next = Number.POSITIVE_INFINITY;
  for (const instant of [...instants, ...told])
    if (instant !== null && instant > nowMs && instant < next) next = instant;
  return next;
};
