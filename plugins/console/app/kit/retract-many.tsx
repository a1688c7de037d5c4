import type { Fact } from '../../../../client/client.ts';
import { useSession } from '../session/session.ts';
import { fill, plural } from '../texts/texts.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { nameOfFact, sayAgain } from './say-again.ts';
import { shortValue } from './short-value.ts';
import type { BulkResult } from './use-bulk.tsx';

interface RetractManyProps {
  readonly facts: readonly Fact[];
  /** Facts that cannot be retracted. */
  readonly leftOut?: readonly Fact[];
  readonly onClose: () => void;
  readonly onDone: (result: BulkResult) => void;
}

/** Ends several facts, each of them alone. */
export const RetractMany = ({ facts, leftOut = [], onClose, onDone }: RetractManyProps) => {
  const { client, texts, reader, own } = useSession('bulk');
  const source = reader.entity_uri;
  const steps = facts.map((fact) => ({
    id: fact.id,
    name: nameOfFact(fact),
    change: fill(own.ends, { value: shortValue(fact.value.v, texts), source: fact.source }),
    run(idempotencyKey: string) {
      const { id, entity, relation, scope, garden_id } = fact;
      return client.retract({ entity, relation, scope, garden_id, source, replaces: [id] }, { idempotencyKey });
    },
  }));
  const finish = (done: ReadonlySet<string>): void => {
    if (done.size === 0) {
      onClose();
      return;
    }
    const ended = facts.filter(({ id }) => done.has(id));
    onDone({
      says: plural(own.retracted, done.size),
      undo: ended.map((fact) =>
        sayAgain(fact, { client, source, change: fill(own.saidAgain, { value: shortValue(fact.value.v, texts) }) }),
      ),
      undoDoes: own.undoRetractedDoes,
    });
  };
  return (
    <BulkDialog
      title={own.retractTitle}
      submit={plural(own.retract, steps.length)}
      isDangerous
      steps={steps}
      leftOut={{ why: own.notRetractable, names: leftOut.map(nameOfFact) }}
      undo={own.undoRetracted}
      onClose={finish}
    />
  );
};
