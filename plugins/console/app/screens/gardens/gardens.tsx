import { useAddress } from '../../shell/address.ts';
import { GardenList } from './garden-list.tsx';
import { OneGarden } from './one-garden.tsx';

/** All gardens of the reader, or the one that the address names. */
export const Gardens = () => {
  const { query } = useAddress();
  return query.garden === undefined ? <GardenList /> : <OneGarden key={query.garden} name={query.garden} />;
};
