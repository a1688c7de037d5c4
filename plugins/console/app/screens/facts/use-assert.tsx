import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Fact } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Notice } from '../../kit/notice.tsx';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { addressOf, useAddress } from '../../shell/address.ts';
import { AssertDialog } from './assert-dialog.tsx';

interface AssertOffer {
  /** A button for the heading of the screen; empty for a key that may not write. */
  readonly button: ComponentChildren;
  /** The open dialog, and the result of the last one. */
  readonly view: ComponentChildren;
}

/** Offers to assert a fact, about the screen's entity if it has one. */
export const useAssert = (entity: string | undefined, onAsserted: () => void): AssertOffer => {
  const { reader, setup, texts } = useSession();
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<Fact>();
  const { screen, query, open } = useAddress();
  useLayoutEffect(() => {
    if (query.do !== 'assert') return;
    // The address loses the action, so that a reload does not start it again.
    open(screen, { ...query, do: undefined }, true);
    setOpen(true);
  }, [query.do]);
  if (!may(reader, 'write') || !hasRoute(setup, 'POST /v1/facts')) return { button: null, view: null };
  return {
    button: <Button text={texts.assert.open} class="primary" onClick={() => setOpen(true)} />,
    view: (
      <>
        <Notice>
          {made !== undefined && (
            <>
              {texts.assert.done} <a href={addressOf('facts', { id: made.id })}>{texts.fact.see}</a>
            </>
          )}
        </Notice>
        {isOpen && (
          <AssertDialog
            entity={entity}
            onClose={() => setOpen(false)}
            onAsserted={(fact) => {
              setOpen(false);
              setMade(fact);
              onAsserted();
            }}
          />
        )}
      </>
    ),
  };
};
