import type { AnswerOf } from '../../../../../client/client.ts';

export type Tombstones = AnswerOf<'GET /v1/tombstones/{entity_uri}'>;
export type Tombstone = Tombstones['tombstones'][number];
export type TombstoneState = 'active' | 'revoked' | 'erased';

export const stateOf = ({ id, erase }: Tombstone, { revocations }: Pick<Tombstones, 'revocations'>): TombstoneState => {
  if (revocations.some(({ tombstone_id: revoked }) => revoked === id)) return 'revoked';
  return erase === true ? 'erased' : 'active';
};
