import { ShownValue } from '../../kit/shown-value.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';

/** The value of a fact in quarantine, which the node's list leaves out; empty for readers who may not see it. */
export const WaitingValue = ({ id }: { id: string }) => {
  const { client } = useSession();
  const { data: fact } = useRequest((signal) => client.fact(id, { signal }), [id]);
  return fact === undefined ? null : <ShownValue value={fact.value} />;
};
