import { Dialog } from '../../kit/dialog.tsx';
import { JsonText } from '../../kit/json-text.tsx';
import { Answer } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import type { Entry } from './audit.tsx';

const MOST_AT_ONCE = 1_000;

/** Shows all members of an entry. Only another route returns them, filtered by the entry's instant. */
export const EntryDetail = ({ entry, onClose }: { entry: Entry; onClose: () => void }) => {
  const { client, own } = useSession('audit');
  const asked = useRequest(
    async (signal) => {
      const query = { since: entry.ts, until: entry.ts, event_type: entry.event_type, limit: MOST_AT_ONCE };
      const { entries } = await client.call('GET /v1/auth/audit', { query, signal });
      return entries.find(({ id }) => id === entry.id) ?? entry;
    },
    [entry.id],
  );
  return (
    <Dialog title={own.entry} onClose={onClose}>
      <Answer asked={asked}>{(whole) => <JsonText label={own.entry} value={whole} />}</Answer>
    </Dialog>
  );
};
