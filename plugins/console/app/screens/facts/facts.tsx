import { useAddress } from '../../shell/address.ts';
import { FactList } from './fact-list.tsx';
import { OneFact } from './one-fact.tsx';

/** All facts, or the one that the address names. */
export const Facts = () => {
  const { query } = useAddress();
  return query.id === undefined ? <FactList /> : <OneFact key={query.id} id={query.id} />;
};
