import { type SealedPlace, type SealedSubject, ServiceError } from '../../ports/ports.ts';

/** Spells the place of a value as associated data, so that it opens in no other row. */
export const placeOfValue = ({ tenantId, entityKey, scope }: SealedSubject, factId: string): Buffer =>
  Buffer.from(JSON.stringify([tenantId, entityKey, scope, factId]));

/** Spells the place of a commitment as associated data, from the header and the place of the value beside it. */
export const placeOfCommitment = (header: Uint8Array, place: Uint8Array): Buffer => Buffer.concat([header, place]);

/** Spells the place of a text as associated data. */
export const placeOfText = ({ tenantId, table, column, row }: SealedPlace): Buffer =>
  Buffer.from(JSON.stringify([tenantId, table, column, row]));

export const notOpened = (content: string): ServiceError =>
  new ServiceError('unavailable', `${content} does not open with the keys of this store`, {
    hint: 'it was changed in the database, comes from another place, or its key was destroyed by an erasure',
  });
