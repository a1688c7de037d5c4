import type { Conflict } from '../../../../../client/client.ts';
import { Instant } from '../../kit/instant.tsx';
import { nameOfFact } from '../../kit/say-again.ts';
import { SelectBox } from '../../kit/select-box.tsx';
import { shortValue } from '../../kit/short-value.ts';
import { ShownText } from '../../kit/shown-text.tsx';
import type { Selection } from '../../kit/use-selection.ts';
import { useTexts } from '../../kit/use-texts.ts';
import { addressOf } from '../../shell/address.ts';
import { plural } from '../../texts/texts.ts';

interface ConflictLineProps {
  readonly conflict: Conflict;
  /** Status filter of the list, for links. */
  readonly status: string | undefined;
  readonly isCurrent: boolean;
  readonly selection: Selection<Conflict>;
}

/** A contradiction in the inbox: its subject, number of rivals and age. */
export const ConflictLine = ({ conflict, status, isCurrent, selection }: ConflictLineProps) => {
  const all = useTexts();
  const { contradictions: texts } = all;
  const { conflict_id: id, fact_a: fact, fact_b: rival, members, detected_at: since } = conflict;
  return (
    <div class="conflict-row">
      <SelectBox item={conflict} name={nameOfFact(fact)} selection={selection} />
      <a class="conflict-line" href={addressOf('contradictions', { status, id })} aria-current={isCurrent || undefined}>
        <span class="conflict-entity">
          <ShownText text={fact.entity} />
        </span>
        <span class="conflict-relation">
          <ShownText text={fact.relation} />: {shortValue(fact.value.v, all)} ≠ {shortValue(rival.value.v, all)}
        </span>
        <span class="muted">
          {plural(texts.rivals, members.length)} · <Instant at={since} relative />
          {conflict.status === 'resolved' && ` · ${texts.settled}`}
        </span>
      </a>
    </div>
  );
};
