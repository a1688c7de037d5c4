import { all, equals } from '../../ports/ports.ts';
import type { HookCaller } from '../hooks/define-hook.ts';
import { type NextChangeQuestion, readAnnotate, readConstrain, readNextChange } from '../hooks/kernel-hooks.ts';

/** An entity with more facts than these, in whatever state, is not looked through. */
const MOST_FACTS = 1_000;

/** Nobody can tell. */
const NEVER_STEADY = Number.NEGATIVE_INFINITY;

/**
 * The instant up to which answers about the entity stay the same while nobody commits: the next one at which any of its
 * facts expires, seen or hidden, or at which a plugin says that its answers change.
 */
export const steadyUntil = async (hooks: HookCaller, question: NextChangeQuestion): Promise<number> => {
  if (!everyoneVouches(hooks)) return NEVER_STEADY;
  const { caller, snapshot, entityKey, nowMs } = question;
  const ofEntity = all(equals('tenantId', caller.tenantId), equals('entityKey', entityKey));
  const facts = await snapshot.outline(ofEntity, MOST_FACTS + 1);
  if (facts.length > MOST_FACTS) return NEVER_STEADY;
  const expiries = facts.length === 0 ? [] : await snapshot.expiries(facts);
  const told = await hooks.collect(readNextChange, question);
  const instants = [...facts.map(({ validUntilMs }) => validUntilMs), ...expiries.map(({ expiresMs }) => expiresMs)];
  let next = Number.POSITIVE_INFINITY;
  for (const instant of [...instants, ...told])
    if (instant !== null && instant > nowMs && instant < next) next = instant;
  return next;
};

const everyoneVouches = (hooks: HookCaller): boolean => {
  const vouching = new Set(hooks.handledBy(readNextChange));
  return [readConstrain, readAnnotate].every((hook) => hooks.handledBy(hook).every((plugin) => vouching.has(plugin)));
};
