import { Fragment } from 'preact';
import { Dialog } from '../kit/dialog.tsx';
import { SingleKeysSwitch } from '../kit/single-keys-switch.tsx';
import { keysOfContradiction } from '../screens/contradictions/shortcuts.tsx';
import { may, useSession } from '../session/session.ts';
import { screensFor } from './screen-list.ts';

/** The keys that work for the reader, on every screen and on single ones. */
export const KeysDialog = ({ onClose }: { onClose: () => void }) => {
  const session = useSession();
  const { search: texts } = session.texts;
  const offered = screensFor(session).map(({ name }) => name);
  return (
    <Dialog title={texts.keys} onClose={onClose}>
      <KeyList
        keys={[
          ['Ctrl K', texts.title],
          ['/', texts.title],
          ['?', texts.keys],
          ['↑ ↓', texts.move],
          ['Enter', texts.choose],
          ['Esc', texts.leave],
        ]}
      />
      {(offered.includes('facts') || offered.includes('contradictions')) && (
        <>
          <h3>{texts.inLists}</h3>
          <KeyList keys={[['Shift', texts.range]]} />
        </>
      )}
      {offered.includes('contradictions') && (
        <>
          <h3>{texts.onContradiction}</h3>
          <KeyList keys={keysOfContradiction(session.texts, may(session.reader, 'write'))} />
        </>
      )}
      <SingleKeysSwitch />
    </Dialog>
  );
};

const KeyList = ({ keys }: { keys: readonly (readonly [key: string, does: string])[] }) => (
  <dl class="members">
    {keys.map(([key, does]) => (
      <Fragment key={key}>
        <dt>
          <kbd>{key}</kbd>
        </dt>
        <dd>{does}</dd>
      </Fragment>
    ))}
  </dl>
);
