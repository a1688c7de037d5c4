import { useState } from 'preact/hooks';
import { spellNumber } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { hasTurningMarks } from './direction-marks.ts';
import { useTexts } from './use-texts.ts';

/** The maximum number of characters rendered at once. A value may have a mebibyte, and a list needs only its start. */
const SHORT_CHARACTERS = 240;
const LONG_CHARACTERS = 20_000;

/**
 * Shows untrusted text. It is isolated, so that its direction does not affect its surroundings. Long text is cut, and
 * text with hidden direction marks carries a warning.
 */
export const ShownText = ({ text, short = true }: { text: string; short?: boolean }) => {
  const limit = short ? SHORT_CHARACTERS : LONG_CHARACTERS;
  const [isWhole, showWhole] = useState(false);
  const isCut = text.length > limit && !isWhole;
  const shown = isCut ? cutAt(text, limit) : text;
  return (
    <>
      <bdi class="shown">{isCut ? `${shown}…` : shown}</bdi>
      {hasTurningMarks(shown) && <Turning />}
      {isCut && !short && (
        <>
          {' '}
          <Button text={`+ ${spellNumber(text.length - shown.length)}`} class="link" onClick={() => showWhole(true)} />
        </>
      )}
    </>
  );
};

const Turning = () => {
  const { turning } = useTexts();
  return (
    <span class="turning" role="img" aria-label={turning} title={turning}>
      ⇄
    </span>
  );
};

/** Cuts a text without splitting a surrogate pair. */
const cutAt = (text: string, length: number): string => {
  const cut = text.slice(0, length);
  return cut.isWellFormed() === false ? cut.slice(0, -1) : cut;
};
