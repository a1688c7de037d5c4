import { useAddress } from '../../shell/address.ts';
import { EntitySearch } from './entity-search.tsx';
import { OneEntity } from './one-entity.tsx';

/** A search for entities, or the one that the address names. */
export const Entities = () => {
  const { query } = useAddress();
  return query.uri ? <OneEntity key={query.uri} uri={query.uri} /> : <EntitySearch />;
};
