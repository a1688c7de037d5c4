import { useSession } from '../../session/session.ts';
import type { TombstoneState as State, Tombstone } from './tombstone.ts';

const STATE_CLASS = { active: 'warn', revoked: '', erased: 'bad' } as const;

/** The state of a tombstone, and its legal hold, as tags. */
export const TombstoneState = ({ tombstone, state }: { tombstone: Tombstone; state: State }) => {
  const { own } = useSession('erasure');
  return (
    <span class="words">
      <span class={`tag ${STATE_CLASS[state]}`}>{own.states[state]}</span>
      {tombstone.legal_hold && <span class="tag">{own.hold}</span>}
    </span>
  );
};
