import { ShownValue } from '../../kit/shown-value.tsx';
import { useAsked } from '../../kit/use-asked.ts';
import { useSession } from '../../session/session.ts';

/** The value of a fact in quarantine, which the list of the node leaves out; nothing for those who may not see it. */
export const WaitingValue = ({ id }: { id: string }) => {
  const { client } = useSession();
  const { data: fact } = useAsked((signal) => client.fact(id, { signal }), [id]);
  return fact === undefined ? null : <ShownValue value={fact.value} />;
};
