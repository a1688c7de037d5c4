import { type SealedPlace, type SealedSubject, ServiceError } from '../../ports/ports.ts';

/** Spells the place of a value as associated data, so that it opens in no other row. */
export const placeOfValue = ({ tenantId, entityKey, scope }: SealedSubject, factId: string): string =>
  JSON.stringify([tenantId, entityKey, scope, factId]);

/** Spells the place of a text as associated data. */
export const placeOfText = ({ tenantId, table, column, row }: SealedPlace): string =>
  JSON.stringify([tenantId, table, column, row]);

export const notOpened = (content: string): ServiceError =>
  new ServiceError('unavailable', `${content} does not open with the keys of this store`, {
    hint: 'it was changed in the database, comes from another place, or its key was destroyed by an erasure',
  });
