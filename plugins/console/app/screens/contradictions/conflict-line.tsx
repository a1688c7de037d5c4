import type { Conflict } from '../../../../../client/client.ts';
import { Instant } from '../../kit/instant.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { useTexts } from '../../kit/use-texts.ts';
import { addressOf } from '../../shell/address.ts';
import { plural } from '../../texts/texts.ts';
import { shortly } from './shortly.ts';

interface ConflictLineProps {
  readonly conflict: Conflict;
  /** Of the list, kept in the address. */
  readonly status: string | undefined;
  readonly isCurrent: boolean;
}

/** A contradiction in the inbox: what it is about, how many rivals there are, and since when. */
export const ConflictLine = ({ conflict, status, isCurrent }: ConflictLineProps) => {
  const all = useTexts();
  const { contradictions: texts } = all;
  const { conflict_id: id, fact_a: fact, fact_b: rival, members, detected_at: since } = conflict;
  return (
    <a class="conflict-line" href={addressOf('contradictions', { status, id })} aria-current={isCurrent || undefined}>
      <span class="conflict-entity">
        <ShownText text={fact.entity} />
      </span>
      <span class="conflict-relation">
        <ShownText text={fact.relation} />: {shortly(fact.value.v, all)} ≠ {shortly(rival.value.v, all)}
      </span>
      <span class="muted">
        {plural(texts.rivals, members.length)} · <Instant at={since} relative />
        {conflict.status === 'resolved' && ` · ${texts.settled}`}
      </span>
    </a>
  );
};
