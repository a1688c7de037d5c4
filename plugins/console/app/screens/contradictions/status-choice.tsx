import { useSession } from '../../session/session.ts';
import { useAddress } from '../../shell/address.ts';
import { type ConflictStatus, STATUSES } from './read-contradictions.ts';

/** Selects the listed contradictions by status. */
export const StatusChoice = ({ status }: { status: ConflictStatus }) => {
  const { contradictions: texts } = useSession().texts;
  const { open } = useAddress();
  return (
    <label class="inline-field">
      {texts.show}
      <select
        value={status}
        onChange={({ currentTarget }) => open('contradictions', { status: currentTarget.value }, true)}
      >
        {STATUSES.map((each) => (
          <option key={each} value={each}>
            {texts.statuses[each]}
          </option>
        ))}
      </select>
    </label>
  );
};
