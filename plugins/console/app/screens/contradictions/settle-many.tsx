import { useRef, useState } from 'preact/hooks';
import { ConflictError, ConnectionError, type FactClient } from '../../../../../client/client.ts';
import { BulkDialog } from '../../kit/bulk-dialog.tsx';
import { nameOfFact, sayAgain } from '../../kit/say-again.ts';
import { shortValue } from '../../kit/short-value.ts';
import { ShownText } from '../../kit/shown-text.tsx';
import type { BulkResult } from '../../kit/use-bulk.tsx';
import { useSession } from '../../session/session.ts';
import { fill, plural } from '../../texts/texts.ts';
import { type OpenRivals, planSettling, sourcesOf } from './plan-settling.ts';

interface SettleManyProps {
  readonly open: readonly OpenRivals[];
  readonly onClose: () => void;
  readonly onDone: (result: BulkResult) => void;
}

/** Settles several contradictions by one rule: the newest value, or that of one source. */
export const SettleMany = ({ open, onClose, onDone }: SettleManyProps) => {
  const { client, texts, reader, own } = useSession('bulk');
  const sources = sourcesOf(open);
  const [source, setSource] = useState<string | undefined>();
  const unsure = useRef(new Set<string>());
  const plans = planSettling(open, source);
  const planned = new Set(plans.map(({ conflict }) => conflict));
  const note = source === undefined ? own.noteNewest : fill(own.noteSource, { source });
  const steps = plans.map(({ conflict, winner, losers }) => ({
    id: conflict.conflict_id,
    name: nameOfFact(conflict.fact_a),
    change: fill(own.becomes, {
      value: shortValue(winner.value.v, texts),
      source: winner.source,
      others: losers.map(({ value }) => shortValue(value.v, texts)).join(', '),
    }),
    run: () => settle(client, { id: conflict.conflict_id, winner: winner.id, note, unsure: unsure.current }),
  }));
  const finish = (done: ReadonlySet<string>): void => {
    if (done.size === 0) {
      onClose();
      return;
    }
    const losers = plans.flatMap((plan) => (done.has(plan.conflict.conflict_id) ? plan.losers : []));
    onDone({
      says: plural(own.settled, done.size),
      undo: losers.map((fact) =>
        sayAgain(fact, {
          client,
          source: reader.entity_uri,
          change: fill(own.saidAgain, { value: shortValue(fact.value.v, texts) }),
        }),
      ),
      undoDoes: own.undoSettledDoes,
    });
  };
  return (
    <BulkDialog
      title={own.settleTitle}
      submit={plural(own.settle, steps.length)}
      steps={steps}
      leftOut={{
        why: own.noValue,
        names: open.flatMap(({ conflict }) => (planned.has(conflict) ? [] : [nameOfFact(conflict.fact_a)])),
      }}
      undo={own.undoSettled}
      onClose={finish}
    >
      <fieldset class="checks">
        <legend>{own.rule}</legend>
        <label class="check">
          <input type="radio" name="rule" checked={source === undefined} onChange={() => setSource(undefined)} />
          {own.newest}
        </label>
        {sources.map(([each, count]) => (
          <label key={each} class="check">
            <input type="radio" name="rule" checked={source === each} onChange={() => setSource(each)} />
            <span>
              <ShownText text={each} /> <span class="muted">{plural(own.settles, count)}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </BulkDialog>
  );
};

interface Settlement {
  readonly id: string;
  readonly winner: string;
  readonly note: string;
  /** Contradictions of which a first try has got no reply. */
  readonly unsure: Set<string>;
}

/** Settles a contradiction. After a lost reply, a second try finds it settled, and that is no failure. */
const settle = async (client: FactClient, { id, winner, note, unsure }: Settlement): Promise<void> => {
  try {
    await client.resolve(id, { winning_fact_id: winner, resolution_note: note });
  } catch (error) {
    if (error instanceof ConnectionError) unsure.add(id);
    if (!(error instanceof ConflictError && unsure.has(id))) throw error;
  }
};
