import { useAddress } from '../../shell/address.ts';
import { OnePeer } from './one-peer.tsx';
import { PeerList } from './peer-list.tsx';

/** All peers, or the one that the address names. */
export const Peers = () => {
  const { query } = useAddress();
  return query.peer === undefined ? <PeerList /> : <OnePeer key={query.peer} id={query.peer} />;
};
