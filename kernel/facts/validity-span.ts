import { parseInstant } from '../../ports/instant.ts';
import type { ServiceError } from '../../ports/ports.ts';
import { memberRefusal } from '../problems/member-refusal.ts';
import type { FactDraft } from './fact-draft.ts';

/**
 * Returns the reason to refuse the beginning of a fact's validity, or null. `path` names the member `valid_from`. A
 * retraction has no beginning, because it ends older facts as soon as the store has it.
 */
export const refuseBeginning = (
  { validFrom, validUntil, confidence }: Pick<FactDraft, 'validFrom' | 'validUntil' | 'confidence'>,
  path: string,
): ServiceError | null => {
  if (validFrom == null) return null;
  if (confidence === 0) return memberRefusal(path, 'must be absent in a retraction, which takes effect at once');
  if (validUntil == null || Number(parseInstant(validFrom)) <= Number(parseInstant(validUntil))) return null;
  return memberRefusal(path, 'must not be later than valid_until');
};
