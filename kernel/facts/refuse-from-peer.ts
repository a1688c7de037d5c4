import { type PreparedFact, ServiceError } from '../../ports/ports.ts';
import { isTooFarAhead, parseHlc, REMOTE_COUNTER_LIMIT } from '../time/hybrid-logical-clock.ts';
import type { AssertionRules } from './assertion-rights.ts';
import type { Refusal } from './refusal-order.ts';

/**
 * Returns the reason why a fact of another node is refused; null when it is not. A stamp too far ahead is refused and
 * never clamped. The limit applies to physical time, because peers could advance the node's own clock step by step. Old
 * stamps are harmless.
 */
export const refuseFromPeer = (
  fact: PreparedFact,
  { nameRules, maxStampLeadMs }: Pick<AssertionRules, 'nameRules' | 'maxStampLeadMs'>,
  nowMs: number,
): Refusal | null => {
  const hlc = fact.hlcText === null ? null : parseHlc(fact.hlcText);
  if (hlc === null)
    return { error: new ServiceError('validation', 'the fact of a peer has no stamp'), check: 'member' };
  if (hlc.counter > REMOTE_COUNTER_LIMIT) {
    const message = `the counter of the stamp is above ${REMOTE_COUNTER_LIMIT}`;
    return { error: new ServiceError('hlc_skew', message), check: 'member' };
  }
  if (isTooFarAhead(hlc, nowMs, maxStampLeadMs)) {
    const message = `the stamp lies more than ${maxStampLeadMs / 1_000} seconds ahead of the clock of this node`;
    return { error: new ServiceError('hlc_skew', message), check: 'member' };
  }
  const reserved =
    nameRules.refusalOf(fact) ?? (fact.system ? 'facts about the store itself stay on their node' : null);
  return reserved === null ? null : { error: new ServiceError('reserved_namespace', reserved), check: 'name' };
};
