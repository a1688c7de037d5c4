import type { ComponentChildren } from 'preact';
import type { Conflict } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { RetractMany } from '../../kit/retract-many.tsx';
import { saveJson } from '../../kit/save-file.ts';
import { SelectBar } from '../../kit/select-box.tsx';
import { Answer } from '../../kit/state.tsx';
import type { Bulk } from '../../kit/use-bulk.tsx';
import { useRequest } from '../../kit/use-request.ts';
import type { Selection } from '../../kit/use-selection.ts';
import { may, useSession } from '../../session/session.ts';
import { type OpenRivals, readOpenRivals } from './plan-settling.ts';
import { SettleMany } from './settle-many.tsx';

interface BulkActionsProps {
  readonly selection: Selection<Conflict>;
  readonly bulk: Bulk;
}

/** Selects contradictions, and settles, retracts or exports them. */
export const BulkActions = ({ selection, bulk }: BulkActionsProps) => {
  const { reader, texts } = useSession();
  const { items } = selection;
  const open = items.filter(({ status }) => status === 'unresolved');
  const outcome = { onClose: bulk.close, onDone: bulk.done };
  const show = (title: string, children: (rivals: readonly OpenRivals[]) => ComponentChildren): void =>
    bulk.show(
      <WithRivals title={title} conflicts={open} onClose={bulk.close}>
        {children}
      </WithRivals>,
    );
  const settle = () => show(texts.bulk.settleTitle, (rivals) => <SettleMany open={rivals} {...outcome} />);
  const retract = () =>
    show(texts.bulk.retractTitle, (rivals) => (
      <RetractMany facts={rivals.flatMap((each) => each.rivals)} {...outcome} />
    ));
  return (
    <SelectBar selection={selection}>
      {open.length > 0 && may(reader, 'write') && (
        <>
          <Button text={texts.bulk.settleOpen} class="primary" onClick={settle} />
          <Button text={texts.bulk.retractOpen} class="danger" onClick={retract} />
        </>
      )}
      <Button text={texts.bulk.exportOpen} onClick={() => saveJson(items, 'contradictions.json')} />
    </SelectBar>
  );
};

interface WithRivalsProps {
  readonly title: string;
  readonly conflicts: readonly Conflict[];
  readonly onClose: () => void;
  readonly children: (rivals: readonly OpenRivals[]) => ComponentChildren;
}

/** Reads the rivals before an action shows its preview. */
const WithRivals = ({ title, conflicts, onClose, children }: WithRivalsProps) => {
  const { client } = useSession();
  const asked = useRequest((signal) => readOpenRivals(client, conflicts, signal), []);
  if (asked.data !== undefined) return <>{children(asked.data)}</>;
  return (
    <Dialog title={title} onClose={onClose}>
      <Answer asked={asked}>{() => null}</Answer>
    </Dialog>
  );
};
