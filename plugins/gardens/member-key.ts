import { MAX_PLAIN_KEY_LENGTH } from '../../kernel/internal-api.ts';
import { matchKey, type Principal, type ServiceNames } from '../../kernel/plugin-api.ts';
import { subjectEntity } from '../keys/keys-api.ts';

const SUBJECTS = subjectEntity('');

/** Returns the key of an entity as a member, which is equal for all spellings of one name. */
export const memberKey = (entityUri: string, names: ServiceNames): string => {
  const key = matchKey(entityUri, names);
  // Case tells subjects of an identity provider apart, so a person never enters as another one.
  const isSubject = key.startsWith(SUBJECTS) && entityUri.length <= MAX_PLAIN_KEY_LENGTH;
  return isSubject ? `${SUBJECTS}${entityUri.slice(SUBJECTS.length)}` : key;
};

/** Selects the memberships of a caller. */
export const membershipsOf = ({ tenantId, entityUri }: Principal, names: ServiceNames) => ({
  tenant_id: tenantId,
  entity_key: memberKey(entityUri, names),
});
