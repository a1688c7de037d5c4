import type { Fact } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { RetractMany } from '../../kit/retract-many.tsx';
import { saveJson } from '../../kit/save-file.ts';
import { SelectBar } from '../../kit/select-box.tsx';
import type { Bulk } from '../../kit/use-bulk.tsx';
import type { Selection } from '../../kit/use-selection.ts';
import { may, useSession } from '../../session/session.ts';
import { isChangeable } from './changeable.ts';

interface FactBulkProps {
  readonly selection: Selection<Fact>;
  readonly bulk: Bulk;
}

/** Selects facts, and retracts or exports them. */
export const FactBulk = ({ selection, bulk }: FactBulkProps) => {
  const { reader, setup, texts } = useSession();
  const { items } = selection;
  const canEnd = (fact: Fact): boolean => isChangeable(fact, setup) && fact.ended === undefined;
  const retract = (): void =>
    bulk.show(
      <RetractMany
        facts={items.filter(canEnd)}
        leftOut={items.filter((fact) => !canEnd(fact))}
        onClose={bulk.close}
        onDone={bulk.done}
      />,
    );
  return (
    <SelectBar selection={selection}>
      {may(reader, 'write') && <Button text={texts.bulk.retractOpen} class="danger" onClick={retract} />}
      <Button text={texts.bulk.exportOpen} onClick={() => saveJson(items, 'facts.json')} />
    </SelectBar>
  );
};
